// One clock for all columns: the rows of the first group, and beside them what the other groups
// were at their times.
//
//   value(t) = a + (b - a) (t - t_a) / (t_b - t_a)     between the rows t_a <= t <= t_b around t
//
// is nan before the first row of a group, behind its last, and across a pause of it, and is the
// row's own value at its stamp. What is nan in a log starts a new segment, or costs a torque its
// rows, as in a table. A group that is faster than the first is thinned out without a filter: the
// fastest should be the first.
//
// Memory: what the groups run ahead of each other, which is bounded.
#pragma once

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct JoinOptions {
  double time_scale = 1;  ///< [s] per unit of all clocks
  double max_gap_s = 0;   ///< nothing is interpolated across a longer pause; 0: ten median periods
                          ///< of the group
};

/// A source with one group: itself if it has only one. The clocks of the others are no columns of
/// it any more. Errors: a group without a clock, columns of one name; while it is read, besides
/// those of the source, at the place in the group: a time that is missing or goes back, groups that
/// are too far apart. A row that repeats a stamp of its group is skipped.
Result<SourcePtr> join_groups(SourcePtr source, const JoinOptions& options);

}  // namespace heft
#pragma GCC visibility pop
