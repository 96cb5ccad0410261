#include "windowed_log.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "heft/log/several_files.hpp"
#include "readers/between_stamps.hpp"
#include "readers/log_formats.hpp"
#include "readers/log_part.hpp"
#include "readers/log_table.hpp"

namespace heft {

namespace {

constexpr const char* kFixStamps = "fix start_s and end_s of its row in the manifest";

Result<Done> check_format(const FleetRow& row) {
  for (const std::string& path : files_of_log(row.log))
    if (const std::string_view is = format_of_file(path); !row.format.empty() && is != row.format)
      return Error{path, fmt::format("is {}, not {} as the manifest says", is, row.format),
                   "fix the format in the manifest, or leave it empty"};
  return Done{};
}

/// The zero that stamps of the first file lose when they are read [s since 1970].
Result<double> origin_of(const std::string& log, const LogFormat& format) {
  HEFT_TRY(table, open_table(Log(files_of_log(log).front()), format, 0));
  HEFT_CHECK(table.source->select({{table.columns().clock}}));
  ColumnBlock block;
  HEFT_CHECK(table.source->next(block));
  return static_cast<double>(table.source->origin());
}

Log of_row(const FleetRow& row) {
  if (row.format.empty() && !row.has_window()) return row.log;
  return {row.log, [row](const LogFormat& format) -> Result<SourcePtr> {
            HEFT_TRY(whole, open_log(row.log, format));
            HEFT_CHECK(check_format(row));
            if (!row.has_window()) return std::move(whole);
            return between_stamps(std::move(whole), {row.start_s, row.end_s}, format.time_scale,
                                  kFixStamps);
          }};
}

/// The log of a row in several files, and their clocks if they differ.
Result<MatchedLogs> of_files(const FleetRow& row, const RobotSetup& robot) {
  HEFT_CHECK(check_format(row));
  const RegressorPlan& plan = robot.setup.plan();
  const LogFormat& format = robot.gathering.log;
  HEFT_TRY(matched, match_clocks({row.log}, plan.robot, plan.channels, format,
                                 robot.gathering.conditioning));
  if (matched.clocks.empty()) return MatchedLogs{{of_row(row)}, {}};
  if (!row.has_window()) return matched;
  HEFT_TRY(origin, origin_of(row.log, format));
  matched.logs.front() =
      part_of(matched.logs.front(), {row.start_s - origin, row.end_s - origin}, kFixStamps);
  return matched;
}

}  // namespace

Result<Log> windowed_log(const FleetRow& row, const RobotSetup& robot) {
  if (files_of_log(row.log).size() == 1) return of_row(row);
  HEFT_TRY(matched, of_files(row, robot));
  return matched.logs.front();
}

Result<MatchedLogs> windowed_logs(const std::vector<FleetRow>& rows, const RobotSetup& robot) {
  MatchedLogs all;
  for (const FleetRow& row : rows) {
    if (files_of_log(row.log).size() == 1) {
      all.logs.push_back(of_row(row));
      continue;
    }
    HEFT_TRY(matched, of_files(row, robot));
    all.logs.push_back(matched.logs.front());
    all.clocks.insert(all.clocks.end(), matched.clocks.begin(), matched.clocks.end());
  }
  return all;
}

}  // namespace heft
