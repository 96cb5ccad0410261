// Usual values of the parameters: the spread of a fleet, or the intervals of a result.
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
  /// 95 % bounds by parameter of the layout; NaN: the baseline does not determine them.
  Eigen::VectorXd lower, upper;
  /// Half the width of the watched model's own interval; NaN: its log does not determine it.
  Eigen::VectorXd half_width;
  int num_results = 0;  ///< number of results behind the bounds
};

/// Reads the bounds for the model of `result`, a result.json or its directory. `path` is a
/// fleet.json of heft fleet run, whose results give the prediction interval for another robot of
/// the fleet, mean +- t s sqrt(1 + 1/n); or a result.json or its directory, whose own intervals are
/// the bounds. Errors: another kind of file or version, results of another robot or with other
/// columns, fewer than three results.
Result<WatchBaseline> read_watch_baseline(const std::string& path, const std::string& result,
                                          const IdentifiedModel& model);

enum class BaselineVerdict { within, left, unresolved };

/// Returns how a parameter compares with the bounds. within: inside them; left: the whole interval
/// is outside; otherwise unresolved.
BaselineVerdict verdict_on(const WatchBaseline& baseline, int parameter, double value, double lower,
                           double upper);

/// Returns the index of the parameter that a change affects: the column of "coulomb joint_3", the
/// mass of link_7 for "payload link_7"; -1 for changes without such a parameter, such as a gain.
int parameter_of_change(const ParameterLayout& layout, std::string_view what);

}  // namespace heft
#pragma GCC visibility pop
