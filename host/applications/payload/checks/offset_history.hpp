// Changes within a log: another body on the sensor, an offset that jumps, or one that drifts. Each
// explanation is fitted to the whole log; the best one for its number of unknowns is reported.
#pragma once

#include <optional>
#include <vector>

#include "changes.hpp"
#include "offset_jumps.hpp"

namespace heft::payload {

struct OffsetDrift {
  WrenchSamples::Drift form;
  Vector6d by = Vector6d::Zero();  ///< from the first to the last sample of the log with the
                                   ///< largest change
};

/// At most one is set.
struct LogHistory {
  std::vector<Change> changes;
  std::vector<OffsetJump> jumps;
  std::optional<OffsetDrift> drift;
};

/// Several logs may each have jumps or a drift, but no changes of the body.
LogHistory history_of(const WrenchSamples& samples, const PayloadOptions& options);

/// Returns the samples with the best model of drift: a polynomial of degree one to three in time,
/// or in the order of poses.
WrenchSamples with_drift(const WrenchSamples& samples, const PayloadOptions& options);

}  // namespace heft::payload
