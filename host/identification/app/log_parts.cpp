#include "app/log_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "conditioning/read_again.hpp"
#include "readers/log_part.hpp"

namespace heft::app {

namespace {

constexpr const char* kRemedy = "change --start-s and --end-s (start_s, end_s), or record longer";

/// The part of a log that is used, in the log's own times.
LogPart within(const LogPart& times, const LogParts& parts) {
  return {std::max(times.from_s, parts.start_s), std::min(times.to_s, parts.end_s)};
}

}  // namespace

Result<std::optional<double>> held_out_share(const std::string& text) {
  if (text.empty() || text.back() != '%') return std::optional<double>();
  char* end = nullptr;
  const double percent = std::strtod(text.c_str(), &end);
  while (*end == ' ') ++end;
  if (end != text.c_str() + text.size() - 1 || end == text.c_str()) return std::optional<double>();
  if (percent >= 100)
    return Error{"--validate",
                 fmt::format("{} holds out all rows and leaves none for training", text),
                 "give a share below 100%, such as 40%"};
  if (!(percent > 0))
    return Error{"--validate", fmt::format("{} holds out no rows", text),
                 "give a share between 0% and 100%, such as 40%, or omit it"};
  return std::optional<double>(percent / 100);
}

Result<SplitLogs> split_logs(std::vector<Log> logs, const LogParts& parts,
                             const LogFormat& format) {
  if (!(parts.start_s < parts.end_s))
    return Error{"--start-s",
                 fmt::format("{:g} s is not before the end, {:g} s", parts.start_s, parts.end_s),
                 "give a start before the end (--end-s)"};
  if (parts.are_whole()) return SplitLogs{std::move(logs), {}};
  SplitLogs split;
  for (const Log& log : logs) {
    HEFT_CHECK(can_be_read_again(log));
    if (!(parts.held_out_share > 0)) {
      split.training.push_back(part_of(log, {parts.start_s, parts.end_s}, kRemedy));
      continue;
    }
    HEFT_TRY(times, times_of(log, format));
    const LogPart used = within(times, parts);
    const double border = used.to_s - parts.held_out_share * (used.to_s - used.from_s);
    if (!(used.from_s < used.to_s))
      return Error{
          log.name(),
          fmt::format(
              "has no rows to split between {:g} and {:g} s: its times are from {:g} to {:g} s",
              parts.start_s, parts.end_s, times.from_s, times.to_s),
          kRemedy};
    split.training.push_back(
        part_of(log, {used.from_s, std::nextafter(border, used.from_s)}, kRemedy));
    split.held_out.push_back(part_of(log, {border, used.to_s}, kRemedy));
  }
  return split;
}

}  // namespace heft::app
