// What of a job travels to the device window by window: the arrays of its samples, or its given rows.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "heft/rows/backend.hpp"

namespace heft::cuda {

/// Columns of equal length. Jobs that share one have equal sources.
class InputColumns {
 public:
  explicit InputColumns(const Samples& samples)
      : arrays_{&samples.position, &samples.velocity, &samples.acceleration, &samples.base_motion,
                &samples.torque,   &samples.weight,   &samples.signal} {
    for (const Eigen::ArrayXXd* array : arrays_) num_columns_ += array->size() > 0 ? array->cols() : 0;
  }
  explicit InputColumns(std::span<const RowArray> rows) : rows_(rows) {
    for (const RowArray& channel : rows) num_columns_ += channel.cols();
  }

  std::int64_t bytes_per_sample() const { return num_columns_ * static_cast<std::int64_t>(sizeof(double)); }

  /// Samples [begin, begin + count), column after column, `stride` doubles from one to the next.
  void copy(std::int64_t begin, std::int64_t count, double* to, std::int64_t stride) const {
    for (const Eigen::ArrayXXd* array : arrays_)
      for (Eigen::Index k = 0; array && array->size() > 0 && k < array->cols(); ++k, to += stride)
        std::copy_n(array->data() + k * array->rows() + begin, count, to);
    for (const RowArray& channel : rows_)
      for (Eigen::Index k = 0; k < channel.cols(); ++k, to += stride)
        Eigen::Map<Eigen::ArrayXd>(to, count) = channel.col(k).segment(begin, count);
  }

  /// Where the columns of samples lie if `count` samples of all begin at `at`; `view` keeps what is constant.
  void place(const double* at, std::int64_t count, core::SampleView& view) const {
    const double** const places[] = {&view.position, &view.velocity, &view.acceleration, &view.base_motion,
                                     &view.torque,   &view.weight,   &view.signal};
    for (std::size_t i = 0; i < std::size(places); ++i) {
      const bool is_there = arrays_[i] && arrays_[i]->size() > 0;
      *places[i] = is_there ? at : nullptr;
      if (is_there) at += arrays_[i]->cols() * count;
    }
    view.stride = count;
  }

 private:
  const Eigen::ArrayXXd* arrays_[7] = {};
  std::span<const RowArray> rows_;
  std::int64_t num_columns_ = 0;
};

}  // namespace heft::cuda
