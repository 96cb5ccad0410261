#include "row_filter.hpp"

#include <algorithm>
#include <vector>

namespace heft {

void filter_columns(const RowArray& unfiltered, const UnfilteredMotion& motion, Eigen::Index first_column,
                    RowArray& rows) {
  const Eigen::Index count = std::min<Eigen::Index>(kSignalLanes, unfiltered.cols() - first_column);
  std::vector<Lanes> signals(static_cast<std::size_t>(unfiltered.rows()), Lanes::Zero()), scratch;
  if (count == kSignalLanes)  // nearly always, and then the compiler knows how many
    for (Eigen::Index i = 0; i < unfiltered.rows(); ++i)
      signals[static_cast<std::size_t>(i)] =
          unfiltered.row(i).segment<kSignalLanes>(first_column).transpose();
  else
    for (Eigen::Index i = 0; i < unfiltered.rows(); ++i)
      signals[static_cast<std::size_t>(i)].head(count) =
          unfiltered.row(i).segment(first_column, count).transpose();
  motion.lowpass.apply(signals, scratch);
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    rows.row(i).segment(first_column, count) =
        signals[static_cast<std::size_t>(motion.first + i * motion.step)].head(count).transpose();
}

}  // namespace heft
