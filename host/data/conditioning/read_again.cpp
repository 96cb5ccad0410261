#include "conditioning/read_again.hpp"

#include <filesystem>

#include "conditioning/log_columns.hpp"
#include "readers/log_table.hpp"

namespace heft {

Result<Done> can_be_read_again(const Log& log) {
  std::error_code ignored;
  const auto status = std::filesystem::status(log.name(), ignored);
  if (!std::filesystem::is_fifo(status) && !std::filesystem::is_socket(status)) return Done{};
  return Error{log.name(),
               "is a pipe, which can be read only once; Heft reads a log more than once",
               "write it to a file first"};
}

Result<Done> has_columns_of(const Robot& robot, const std::vector<Channel>& channels,
                            const Log& log, const LogFormat& format,
                            const ConditioningOptions& conditioning) {
  HEFT_TRY(table, open_table(log, format, conditioning.max_gap_s));
  const SourcePtr& source = table.source;
  HEFT_CHECK(find_log_columns(source->groups().front(), robot, channels, format, conditioning, {},
                              source->where()));
  return Done{};
}

}  // namespace heft
