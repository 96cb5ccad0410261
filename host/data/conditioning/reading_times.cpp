#include "conditioning/reading_times.hpp"

#include <fmt/format.h>

#include <utility>

namespace heft {

std::string ReadingTimes::limit() const {
  if (total_s == 0) return "";
  if (computing_s >= disk_s + parsing_s) return "computing";
  return disk_s > parsing_s ? "disk" : "parsing";
}

std::string bottleneck_words(const ReadingTimes& times) {
  const std::string slowest = times.limit();
  if (slowest.empty()) return "";
  std::string first, others;
  for (const auto& [stage, seconds] : {std::pair{"disk", times.disk_s},
                                       {"parsing", times.parsing_s},
                                       {"computing", times.computing_s}}) {
    const double share = 100 * seconds / times.total_s;
    if (slowest == stage)
      first = fmt::format("limited by: {} (busy {:.0f} % of the time", stage, share);
    else
      others += fmt::format("{} {} {:.0f} %", others.empty() ? ";" : ",", stage, share);
  }
  return first + others + ")";
}

ReadingTimes total_reading(const std::vector<LogSummary>& logs) {
  ReadingTimes total;
  for (const LogSummary& log : logs) {
    total.disk_s += log.reading.disk_s;
    total.parsing_s += log.reading.parsing_s;
    total.computing_s += log.reading.computing_s;
    total.total_s += log.reading.total_s;
  }
  return total;
}

}  // namespace heft
