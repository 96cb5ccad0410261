#include "log/log_part.hpp"

#include <limits>
#include <utility>
#include <vector>

#include "log/between_stamps.hpp"
#include "stamp_source.hpp"

namespace heft {

namespace {

/// A part whose clock is in seconds already.
class PartInSeconds : public SourceInSeconds {
 public:
  using SourceInSeconds::SourceInSeconds;
  Result<bool> next(ColumnBlock& block) override { return source_->next(block); }
};

}  // namespace

Log part_of(const Log& log, const LogPart& part, const std::string& remedy) {
  const auto open = [log, part, remedy](const LogFormat& format) -> Result<SourcePtr> {
    HEFT_TRY(whole, log.open(format));
    HEFT_TRY(in_time, in_seconds(std::move(whole), format));
    return SourcePtr(new PartInSeconds(
        between_stamps(std::move(in_time), {part.from_s, part.to_s}, format.time_scale, remedy)));
  };
  return {log.name(), open, part};
}

Result<LogPart> times_of(const Log& log, const LogFormat& format) {
  HEFT_TRY(whole, log.open(format));
  HEFT_TRY(source, in_seconds(std::move(whole), format));
  const int clock = source->groups().front().clock;
  if (clock < 0)
    return Error{source->where(), "has no column of time", "name it by log.time, or give log.rate_hz"};
  std::vector<std::vector<int>> wanted(source->groups().size());
  wanted.front() = {clock};
  HEFT_CHECK(source->select(wanted));
  LogPart times{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (ColumnBlock block;;) {
    HEFT_TRY(has_rows, source->next(block));
    if (!has_rows) return times;
    for (std::int64_t row = 0; row < block.num_rows; ++row) {
      const double t = block.columns.front()[row] * format.time_scale;
      if (t < times.from_s) times.from_s = t;
      if (t > times.to_s) times.to_s = t;
    }
  }
}

}  // namespace heft
