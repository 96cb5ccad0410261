// Scans of whole columns: rules ask them about every column of every log, and nearly all find
// nothing. The loops have no branches, so that the compiler vectorizes them. NaN is not counted.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

namespace heft::check {

/// A column without a copy.
using ColumnRef = Eigen::Ref<const Eigen::ArrayXd>;

/// Smallest and largest number of a column; without numbers, the width is -infinity.
struct Extremes {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  double width() const { return high - low; }
  double farthest() const { return std::max(std::abs(low), std::abs(high)); }
};

Extremes extremes_of(const ColumnRef& column);

/// Extremes without infinite numbers.
Extremes finite_extremes_of(const ColumnRef& column);

/// Returns whether the numbers span at least `width`; stops where they do.
bool spans(const ColumnRef& column, double width);

Eigen::Index count_finite(const ColumnRef& column);
Eigen::Index count_equal(const ColumnRef& column, double number);

/// Returns the number of rows with |number - middle| below `distance`.
Eigen::Index count_within(const ColumnRef& column, double middle, double distance);

/// Returns the number of rows equal to the row before.
Eigen::Index count_repeated(const ColumnRef& column);

/// Returns the number of steps from row to row whose size is at least `size`.
Eigen::Index count_steps(const ColumnRef& column, double size);

/// Returns per row its deviation from the line between its neighbors, in the middle of it or at
/// `place` of the way, whichever is nearer; 0 where the place is NaN and in the first and last row.
Eigen::ArrayXd bends_of(const ColumnRef& column, const Eigen::ArrayXd& place);

/// Returns whether the median of the sizes of all numbers but zeros is below 1 / `factor` of the
/// largest size: one of them is large beside the others.
bool has_large(const ColumnRef& column, double factor);

}  // namespace heft::check
