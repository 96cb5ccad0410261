#include "readers/log_part.hpp"

#include <utility>

#include "readers/between_stamps.hpp"
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
  HEFT_TRY(stamps, stamps_of(std::move(source), format.time_scale));
  return LogPart{stamps.from, stamps.to};
}

}  // namespace heft
