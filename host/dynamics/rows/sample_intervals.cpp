#include "sample_intervals.hpp"

#include <algorithm>

#include "mechanics_columns.hpp"

namespace heft {

SampleIntervals::SampleIntervals(const UnfilteredMotion& motion, Eigen::Index num_samples)
    : motion_(motion),
      num_samples_(num_samples),
      half_(std::max(1, motion.lowpass.nan_radius() / 2)),
      step_(step_of(motion.samples)) {}

Eigen::Index SampleIntervals::begin(Eigen::Index i) const {
  return std::max<Eigen::Index>(0, motion_.first + i * motion_.step - half_);
}

Eigen::Index SampleIntervals::end(Eigen::Index i) const {
  return std::min(motion_.samples.size() - 1, motion_.first + i * motion_.step + half_);
}

RowArray SampleIntervals::gain(const RowArray& columns) const {
  RowArray gained(num_samples_, columns.cols());
  for (Eigen::Index i = 0; i < num_samples_; ++i)
    gained.row(i) = (columns.row(end(i)) - columns.row(begin(i))) /
                    (static_cast<double>(end(i) - begin(i)) * step_);
  return gained;
}

RowArray SampleIntervals::mean(const RowArray& columns) const {
  RowArray sums = RowArray::Zero(columns.rows(), columns.cols());  // from the first sample to each
  for (Eigen::Index i = 1; i < columns.rows(); ++i)
    sums.row(i) = sums.row(i - 1) + 0.5 * (columns.row(i - 1) + columns.row(i));
  RowArray means(num_samples_, columns.cols());
  for (Eigen::Index i = 0; i < num_samples_; ++i)
    means.row(i) = (sums.row(end(i)) - sums.row(begin(i))) / static_cast<double>(end(i) - begin(i));
  return means;
}

}  // namespace heft
