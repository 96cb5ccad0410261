// What happens in mid-log: another body on the sensor, an offset that jumps, or one that drifts.
// Each explanation is fitted to the whole log; the one that explains the wrench best, for as many
// unknowns as it takes, is told.
#pragma once

#include <optional>
#include <vector>

#include "changes.hpp"
#include "offset_jumps.hpp"

namespace heft::payload {

struct OffsetDrift {
  WrenchSamples::Drift form;
  Vector6d by = Vector6d::Zero();  ///< from the first to the last sample of the log where it is
                                   ///< most
};

/// At most one is there.
struct LogHistory {
  std::vector<Change> changes;
  std::vector<OffsetJump> jumps;
  std::optional<OffsetDrift> drift;
};

/// Several logs have jumps or a drift each, and no changes.
LogHistory history_of(const WrenchSamples& samples, const PayloadOptions& options);

/// The samples with the form of drift that explains them best: a polynomial of degree one to three
/// in time, or in the order of poses.
WrenchSamples with_drift(const WrenchSamples& samples, const PayloadOptions& options);

}  // namespace heft::payload
