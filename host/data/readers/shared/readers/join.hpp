// Joins all columns onto one clock: the rows of the first group, with the values of the other
// groups at their times.
//
//   value(t) = a + (b - a) (t - t_a) / (t_b - t_a)     between the rows t_a <= t <= t_b around t
//
// is NaN before the first row of a group, after its last, and across a pause of it; at the stamp of
// a row it is the row's own value. A NaN starts a new segment, or removes the rows of a torque, as
// in a table. A group that is faster than the first is decimated without a filter, so the fastest
// group should be the first.
//
// Memory: the rows by which groups are ahead of each other, which are bounded.
#pragma once

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Time unit of all clocks, and the longest pause to interpolate across.
struct JoinOptions {
  double time_scale = 1;  ///< [s] per unit of all clocks
  double max_gap_s = 0;   ///< no interpolation across a longer pause [s]; 0: ten median periods of
                          ///< the group
};

/// Returns a source with one group; a source with one group is returned unchanged. The clocks of
/// the other groups are no longer columns. A row that repeats a stamp of its group is skipped.
/// Errors: a group without a clock, duplicate column names; while reading, those of the source and,
/// at the place in the group, a time that is missing or decreases, groups that are too far apart.
Result<SourcePtr> join_groups(SourcePtr source, const JoinOptions& options);

}  // namespace heft
#pragma GCC visibility pop
