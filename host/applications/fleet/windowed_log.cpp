#include "windowed_log.hpp"

#include <fmt/format.h>

#include <string_view>

#include "readers/between_stamps.hpp"
#include "readers/log_formats.hpp"

namespace heft {

Log windowed_log(const FleetRow& row) {
  if (row.format.empty() && !row.has_window()) return row.log;
  return {row.log, [row](const LogFormat& format) -> Result<SourcePtr> {
            HEFT_TRY(whole, open_file(row.log, format));
            if (const std::string_view is = format_of_file(row.log);
                !row.format.empty() && is != row.format)
              return Error{row.log,
                           fmt::format("is {}, not {} as the manifest says", is, row.format),
                           "fix the format in the manifest, or leave it empty"};
            if (!row.has_window()) return std::move(whole);
            return between_stamps(std::move(whole), {row.start_s, row.end_s}, format.time_scale,
                                  "fix start_s and end_s of its row in the manifest");
          }};
}

}  // namespace heft
