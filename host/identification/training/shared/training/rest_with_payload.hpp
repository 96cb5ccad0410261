// Joints at rest in logs with a known payload. Their torque contains static friction, between plus
// and minus the torque that starts the motion, or, of a joint held by its brake, nothing of the
// load: such rows make gains of drives wrong.
#pragma once

#include <string>
#include <vector>

#include "heft/model/regressor_plan.hpp"
#include "heft/model/samples.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Reason in DroppedRows of the rows of a joint: "joint_2 at rest with a payload".
std::string at_rest_with_payload(const std::string& joint);

/// Sets the weight of rows to zero where a joint has been at rest for 0.03 s, and 0.1 s longer. The
/// state continues from block to block of a segment, so blocks do not affect the result.
class RestWithPayload {
 public:
  /// `channels`: those with a gain.
  RestWithPayload(const RegressorPlan& plan, const std::vector<int>& channels);

  /// Excludes rows of the next block.
  void exclude(int segment, Samples& block);

  /// Returns the number of excluded rows by reason.
  const DroppedRows& dropped() const { return dropped_; }

 private:
  struct Joint {
    int channel, coordinate;
    double least_speed;    ///< [rad/s] or [m/s]
    double rests_from_s;   ///< infinite: it moves
    double excluded_to_s;  ///< end of the last rest
    std::string reason;
  };
  std::vector<Joint> joints_;
  int segment_ = -1;
  DroppedRows dropped_;
};

}  // namespace heft
#pragma GCC visibility pop
