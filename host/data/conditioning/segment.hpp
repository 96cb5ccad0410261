// Conditions a segment of any length in constant memory, window by window (FORMULAS 7).
//
// Window k holds the uniform rows k window .. (k + 1) window of the segment. It is conditioned once
// `lookahead` more rows are available, with guard rows on both sides to avoid edge effects. The
// last window takes all remaining rows: at least `lookahead`, unless the whole segment is shorter.
// Window positions depend only on the segment's length.
#pragma once

#include <cstdint>
#include <functional>

#include "heft/base/result.hpp"
#include "heft/model/samples.hpp"
#include "log_rows.hpp"
#include "window.hpp"

namespace heft {

/// Rows around a window that its samples depend on, and the shortest segment.
struct SegmentReach {
  Eigen::Index guard = 0;
  Eigen::Index lookahead = 0;
  Eigen::Index min_rows = 0;

  explicit SegmentReach(const ConditioningPlan& plan);
};

class SegmentConditioner {
 public:
  /// `emit` receives every non-empty block in order. Keeps references to all arguments.
  SegmentConditioner(const ConditioningPlan& plan, Expressions& expressions,
                     const std::function<Result<Done>(const Samples&)>& emit, DroppedRows& dropped);

  /// Adds the next uniform row of the segment.
  Result<Done> push(const LogRow& row);

  /// Ends the segment and prepares for the next one. Returns false if it was too short and no block
  /// was emitted.
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
  SegmentReach reach_;

  // rows first_ .. num_rows_ of the segment, at the front of arrays that may be longer
  Eigen::ArrayXd time_;
  Eigen::ArrayXXd values_;
  FlagArray flags_;
  Eigen::Index first_ = 0;
  Eigen::Index num_rows_ = 0;
  Eigen::Index window_ = 0;  // first row of the current window

  // per torque: the last number, if any, and the number of rows without one since then
  struct Bridge {
    double last = 0;
    bool known = false;
    Eigen::Index missing = 0;
  };
  std::vector<Bridge> bridges_;
};

}  // namespace heft
