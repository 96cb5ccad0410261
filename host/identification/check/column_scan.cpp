#include "column_scan.hpp"

namespace heft::check {

namespace {

/// Counts the indices from `first` to `size` for which `test(k)` is true. GCC vectorizes it in this
/// form only.
template <class Test>
Eigen::Index count_rows(Eigen::Index first, Eigen::Index size, const Test& test) {
  Eigen::Index count = 0;
  for (Eigen::Index k = first; k < size; ++k) count = test(k) ? count + 1 : count;
  return count;
}

}  // namespace

Extremes extremes_of(const ColumnRef& column) {
  constexpr Eigen::Index kLanes = 4;  // minima that do not wait for each other
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double low[kLanes] = {kInfinity, kInfinity, kInfinity, kInfinity},
         high[kLanes] = {-kInfinity, -kInfinity, -kInfinity, -kInfinity};
  const double* const x = column.data();
  const auto add = [&](Eigen::Index row, Eigen::Index lane) {
    low[lane] = x[row] < low[lane] ? x[row] : low[lane];
    high[lane] = x[row] > high[lane] ? x[row] : high[lane];
  };
  Eigen::Index k = 0;
  for (; k + kLanes <= column.size(); k += kLanes) {
    add(k, 0);
    add(k + 1, 1);
    add(k + 2, 2);
    add(k + 3, 3);
  }
  for (; k < column.size(); ++k) add(k, 0);
  return {std::min(std::min(low[0], low[1]), std::min(low[2], low[3])),
          std::max(std::max(high[0], high[1]), std::max(high[2], high[3]))};
}

Extremes finite_extremes_of(const ColumnRef& column) {
  const Extremes all = extremes_of(column);
  if (std::isfinite(all.width())) return all;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto is_finite = column.isFinite();
  return {is_finite.select(column, kInfinity).minCoeff(),
          is_finite.select(column, -kInfinity).maxCoeff()};
}

bool spans(const ColumnRef& column, double width) {
  constexpr Eigen::Index kRows = 128;
  Extremes all;
  for (Eigen::Index k = 0; k < column.size(); k += kRows) {
    const Extremes part = extremes_of(column.segment(k, std::min(kRows, column.size() - k)));
    all = {std::min(all.low, part.low), std::max(all.high, part.high)};
    if (all.width() >= width) return true;
  }
  return false;
}

Eigen::Index count_finite(const ColumnRef& column) {
  const double* const x = column.data();
  return count_rows(0, column.size(), [x](Eigen::Index k) { return x[k] - x[k] == 0; });
}

Eigen::Index count_equal(const ColumnRef& column, double number) {
  const double* const x = column.data();
  return count_rows(0, column.size(), [=](Eigen::Index k) { return x[k] == number; });
}

Eigen::Index count_within(const ColumnRef& column, double middle, double distance) {
  const double* const x = column.data();
  return count_rows(0, column.size(),
                    [=](Eigen::Index k) { return std::abs(x[k] - middle) < distance; });
}

Eigen::Index count_repeated(const ColumnRef& column) {
  const double* const x = column.data();
  return count_rows(1, column.size(), [x](Eigen::Index k) { return x[k] == x[k - 1]; });
}

Eigen::Index count_steps(const ColumnRef& column, double size) {
  const double* const x = column.data();
  return count_rows(1, column.size(),
                    [=](Eigen::Index k) { return std::abs(x[k] - x[k - 1]) >= size; });
}

Eigen::ArrayXd bends_of(const ColumnRef& column, const Eigen::ArrayXd& place) {
  Eigen::ArrayXd bends = Eigen::ArrayXd::Zero(column.size());
  const double *const x = column.data(), *const share = place.data();
  double* const to = bends.data();
  for (Eigen::Index k = 1; k < column.size() - 1; ++k) {
    const double by_stamps = x[k] - ((1 - share[k]) * x[k - 1] + share[k] * x[k + 1]);
    const double by_rows = x[k] - (x[k - 1] + x[k + 1]) / 2;
    const double bend = std::abs(by_stamps) < std::abs(by_rows) ? by_stamps : by_rows;
    to[k] = share[k] == share[k] ? bend : 0;
  }
  return bends;
}

bool has_large(const ColumnRef& column, double factor) {
  const double* const x = column.data();
  const double least = extremes_of(column).farthest() / factor;
  const Eigen::Index num_sizes =
      count_rows(0, column.size(), [x](Eigen::Index k) { return std::abs(x[k]) > 0; });
  const Eigen::Index num_below =
      count_rows(0, column.size(), [=](Eigen::Index k) { return std::abs(x[k]) < least; }) -
      count_equal(column, 0);
  return num_sizes > 0 && num_below > num_sizes / 2;
}

}  // namespace heft::check
