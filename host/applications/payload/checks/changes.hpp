// Detects changes of the body on the sensor within a log: another object, or its removal.
#pragma once

#include <vector>

#include "heft/payload/payload.hpp"

namespace heft::payload {

struct Change {
  double time = 0;  ///< [s]; for poses, the index of the first pose after the change
  BodyParameters before = BodyParameters::Zero(), after = before;  ///< from least squares
};

/// Returns the times at which two bodies with one offset explain the samples far better than one
/// body: they halve the sum of squares, gain sixty times what noise would, and differ significantly
/// in mass or center of mass. In order of time; at most seven.
std::vector<Change> changes_in(const WrenchSamples& samples, const PayloadOptions& options);

/// Returns the samples of one log between two times.
WrenchSamples samples_between(const WrenchSamples& samples, double from, double to);

}  // namespace heft::payload
