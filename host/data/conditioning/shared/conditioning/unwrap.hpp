// Unwrapping of positions that jump by a full turn at the ends of their range: counts turns so that
// each position is the one nearest to the previous one.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "conditioning/log_columns.hpp"
#include "heft/base/result.hpp"
#include "heft/log/log.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Unwraps the positions of the selected joints.
class Unwrapping {
 public:
  /// Makes the unwrapping for the joints in format.unwrap. Errors: a joint that does not exist or
  /// is not revolute.
  static Result<Unwrapping> make(const LogFormat& format, const Robot& robot,
                                 const LogColumns& columns);

  bool is_needed() const { return !joints_.empty(); }

  /// Unwraps the values of one row; rows must be in the order of time [s]. NaN positions are
  /// unchanged. Errors at `place()`: a pause of more than `max_gap` [s] before a position, during
  /// which the turns are unknown; a joint that moves by almost half a turn from row to row.
  template <class Values, class Place>
  Result<Done> apply(double time, double max_gap, Values&& values, const Place& place) {
    for (Joint& joint : joints_) {
      double& position = values[joint.value];
      if (!(position == position)) continue;
      if (joint.is_known) {
        const double turns = nearest_turns(joint, position);
        position -= turns * joint.turn;
        if (const auto problem = judge(joint, time, max_gap, position); !problem.empty())
          return fault(joint, place(), problem);
      }
      joint.is_known = true;
      joint.position = position;
      joint.time = time;
    }
    return Done{};
  }

 private:
  struct Joint {
    std::string name;
    int value;    ///< index among the values of a row
    double turn;  ///< one turn in the unit of the joint [rad]: 2 pi of the logged value
    bool is_known = false;
    double time = 0, position = 0;  ///< of the previous row
  };

  static double nearest_turns(const Joint& joint, double position);
  static std::string judge(const Joint& joint, double time, double max_gap, double position);
  static Error fault(const Joint& joint, const std::string& where, const std::string& what);

  std::vector<Joint> joints_;
};

}  // namespace heft
#pragma GCC visibility pop
