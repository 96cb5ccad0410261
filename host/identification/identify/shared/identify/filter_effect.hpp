// The parts of intervals that the low-pass of conditioning, the time offset and noise of the IMU
// cause.
//
// Rows computed from low-passed motion are not low-passed rows: friction jumps where a joint
// reverses, and the filter of the torque smooths this jump while the row of the smooth motion keeps
// it. Rows that are computed at twice the cutoff and then pass the filter of the torque
// (filter_rows) do not have this error, at the same noise of the torque. The difference of the
// scores b - G x of both kinds of rows, scaled to the rows of all logs, determines how far the
// low-pass moves the estimate.
#pragma once

#include <optional>

#include "heft/identify/identify.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Sums of the same rows: as configured, and of filtered rows at twice the cutoff.
struct FilterSums {
  Moments as_configured, filtered;
};

/// Returns these sums, with two passes over the first rows of the training logs, before or after
/// the answer is known. Empty without a Butterworth filter, with filtered rows, rows of another
/// kind than torque, or logs that do not allow twice the cutoff. Errors: stopped().
Result<std::optional<FilterSums>> filter_sums(const IdentifyRequest& request);

/// Adds the effect of the low-pass to the intervals of a result (put_systematic). Does nothing
/// without intervals or with whitened rows.
void add_filter_effect(const IdentifyRequest& request, const FilterSums& sums,
                       Identification& result);

/// Adds the error of the time between torques and motion to the intervals of a result
/// (put_time_offset), with two passes over the first rows of the training logs, whose torques are
/// delayed by one standard deviation `sd_s` [s] more and less. Does nothing without intervals, with
/// whitened rows or rows of another kind than torque, or at 0. Errors: stopped().
Result<Done> add_time_offset_effect(const IdentifyRequest& request, double sd_s,
                                    Identification& result);

/// Adds the bias by noise of the base's IMU to the intervals of the whole robot (put_motion_noise).
/// Noise of the motion, dY, adds -dY'dY x to the scores on average, so that accelerations look
/// larger than they are and masses smaller. The score changes as much by noise of the same size
/// that is added to the logs [Cook, Stefanski 1994]; the difference to the score as logged is the
/// mean of both signs of this noise, over the first rows of the training logs. Call it after
/// add_filter_effect. Does nothing without a floating base, an IMU or intervals, or with rows that
/// are whitened or of another kind than torque. Errors: stopped(); those of reading the logs.
Result<Done> add_imu_noise_effect(const IdentifyRequest& request, Identification& result);

}  // namespace heft
#pragma GCC visibility pop
