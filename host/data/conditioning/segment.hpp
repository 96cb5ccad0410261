// Conditions a segment of any length in constant memory, window by window (FORMULAS 7).
//
// Window k holds the uniform rows k window .. (k + 1) window of the segment and is conditioned as
// soon as `lookahead` more rows are there, together with a guard of rows on both sides, so that the
// cut is not felt. The last window takes all that remains: at least `lookahead` rows, unless the
// segment is shorter than that, and then it is the whole segment. Where windows lie depends on
// nothing but the segment's length.
#pragma once

#include <cstdint>
#include <functional>

#include "heft/base/result.hpp"
#include "heft/model/samples.hpp"
#include "log_rows.hpp"
#include "window.hpp"

namespace heft {

class SegmentConditioner {
 public:
  /// `emit` gets every block that is not empty, in order. Keeps references to all its arguments.
  SegmentConditioner(const ConditioningPlan& plan, Expressions& expressions,
                     const std::function<Result<Done>(const Samples&)>& emit, DroppedRows& dropped);

  /// The next uniform row of the segment.
  Result<Done> push(const LogRow& row);

  /// Ends the segment and makes ready for the next one. False if it was too short: nothing was
  /// emitted.
  Result<bool> finish();

 private:
  void append(const LogRow& row);
  void bridge(Eigen::Index torque, const LogRow& row, Eigen::Index at);
  Result<Done> condition(Eigen::Index begin, Eigen::Index end, Eigen::Index kept_end);
  void discard_before(Eigen::Index row);

  const ConditioningPlan& plan_;
  WindowConditioner conditioner_;
  const std::function<Result<Done>(const Samples&)>& emit_;
  DroppedRows& dropped_;
  Eigen::Index guard_ = 0;
  Eigen::Index lookahead_ = 0;
  Eigen::Index min_rows_ = 0;

  // rows first_ .. num_rows_ of the segment, at the front of arrays that may be longer
  Eigen::ArrayXd time_;
  Eigen::ArrayXXd values_;
  FlagArray flags_;
  Eigen::Index first_ = 0;
  Eigen::Index num_rows_ = 0;
  Eigen::Index window_ = 0;  // first row of the window under way

  // per torque: the last number, if there was one, and how many rows since had none
  struct Bridge {
    double last = 0;
    bool known = false;
    Eigen::Index missing = 0;
  };
  std::vector<Bridge> bridges_;
};

}  // namespace heft
