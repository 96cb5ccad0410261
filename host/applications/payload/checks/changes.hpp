// When what hangs on the sensor changes in mid-log: another object, or none any more.
#pragma once

#include <vector>

#include "heft/payload/payload.hpp"

namespace heft::payload {

struct Change {
  double time = 0;  ///< [s]; of poses the index of the first behind it
  BodyParameters before = BodyParameters::Zero(), after = before;  ///< by least squares
};

/// Times at which two bodies on one offset explain the samples of a log far better than one body
/// does: at least half of what one leaves, sixty times what chance would, and mass or center of
/// mass differ by what matters. In order of time; seven at most.
std::vector<Change> changes_in(const WrenchSamples& samples, const PayloadOptions& options);

/// The samples between two times, of one log.
WrenchSamples samples_between(const WrenchSamples& samples, double from, double to);

}  // namespace heft::payload
