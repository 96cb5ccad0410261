#include "row_filter.hpp"

#include <algorithm>

namespace heft {

void filter_columns(const RowArray& unfiltered, const UnfilteredMotion& motion,
                    Eigen::Index first_column, RowArray& rows, Eigen::ArrayXXd& scratch) {
  const Eigen::Index count = std::min<Eigen::Index>(kSignalLanes, unfiltered.cols() - first_column);
  motion.lowpass.apply_to_rows(unfiltered.middleCols(first_column, count), motion.first,
                               motion.step, rows.middleCols(first_column, count), scratch);
}

}  // namespace heft
