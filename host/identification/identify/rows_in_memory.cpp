#include "identify/rows_in_memory.hpp"

#include <filesystem>
#include <memory>

#include "readers/kept_rows.hpp"

namespace heft {

IdentifyRequest with_rows_in_memory(IdentifyRequest request) {
  constexpr double kOfAllLogs = 64e6, kOfLog = 40e6;  // bytes; more than question_log() reads
  const auto memory = std::make_shared<RowMemory>(kOfAllLogs, kOfLog);
  std::error_code ignored;
  for (auto* logs : {&request.training_logs, &request.validation_logs})
    for (Log& log : *logs)
      if (std::filesystem::is_regular_file(log.name(), ignored)) log = with_kept_rows(log, memory);
  return request;
}

}  // namespace heft
