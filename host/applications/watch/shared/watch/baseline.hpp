// Which values of the parameters are usual: the spread of a fleet, or the intervals of a result.
#pragma once

#include <Eigen/Core>
#include <string>
#include <string_view>

#include "heft/base/result.hpp"
#include "predict/identified_model.hpp"
#include "watch/watcher.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct WatchBaseline {
  /// 95 % bounds by parameter of the layout; NaN: the baseline does not tell them.
  Eigen::VectorXd lower, upper;
  /// Half the width of the watched model's own interval; NaN: its log does not tell the parameter.
  Eigen::VectorXd half_width;
  int num_results = 0;  ///< that the bounds are made from
};

/// Reads the bounds for the model of `result`, a result.json or its directory. `path`: a fleet.json
/// of heft fleet run, whose results give the interval in which another robot of the fleet would be,
/// mean +- t s sqrt(1 + 1/n); or a result.json or its directory, whose own intervals count. Errors,
/// each with what to do: another kind of file or version, results of another robot or with other
/// columns, fewer than three results.
Result<WatchBaseline> read_watch_baseline(const std::string& path, const std::string& result,
                                          const IdentifiedModel& model);

enum class BaselineVerdict { within, left, unresolved };

/// Compares a parameter with the bounds: within them; left, if the whole interval is outside;
/// otherwise unresolved.
BaselineVerdict verdict_on(const WatchBaseline& baseline, int parameter, double value, double lower,
                           double upper);

/// Index of the parameter that a change is about: "coulomb joint_3" itself, the mass of
/// "payload link_7"; -1 for changes that no result has a number for, as of a gain.
int parameter_of_change(const ParameterLayout& layout, std::string_view what);

}  // namespace heft
#pragma GCC visibility pop
