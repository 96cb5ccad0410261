// Positions that jump by a whole turn where they leave it, with the turns counted: each is the one
// nearest to the one before.
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

class Unwrapping {
 public:
  /// Of the positions of the joints that format.unwrap chooses. Errors: a joint that there is not,
  /// or that does not turn.
  static Result<Unwrapping> make(const LogFormat& format, const Robot& robot,
                                 const LogColumns& columns);

  bool is_needed() const { return !joints_.empty(); }

  /// Counts turns in a row's values, row after row in order of time [s]; positions that are nan
  /// stay so. Errors at `place()`: a pause of more than `max_gap` [s] before a position, so that
  /// the turns in between are unknown; a joint that moves by nearly half a turn from row to row.
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
    int value;    ///< among those of a row
    double turn;  ///< [rad] in the unit of the joint: 2 pi of what was logged
    bool is_known = false;
    double time = 0, position = 0;  ///< of the row before
  };

  static double nearest_turns(const Joint& joint, double position);
  static std::string judge(const Joint& joint, double time, double max_gap, double position);
  static Error fault(const Joint& joint, const std::string& where, const std::string& what);

  std::vector<Joint> joints_;
};

}  // namespace heft
#pragma GCC visibility pop
