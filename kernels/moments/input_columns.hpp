// Data of a job that are sent to the device transfer by transfer: the arrays of its samples, or its
// given rows.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "heft/rows/backend.hpp"

namespace heft::cuda {

/// Columns of equal length. Jobs that share one have equal sources.
class InputColumns {
 public:
  explicit InputColumns(const Samples& samples) : samples_(&samples) {
    for_each_sent(
        [this](const SampleArray&, const Eigen::ArrayXXd& array) { num_columns_ += array.cols(); });
  }
  explicit InputColumns(std::span<const RowArray> rows) : rows_(rows) {
    for (const RowArray& channel : rows) num_columns_ += channel.cols();
  }

  std::int64_t bytes_per_sample() const {
    return num_columns_ * static_cast<std::int64_t>(sizeof(double));
  }

  /// Samples [begin, begin + count), column after column, `stride` doubles from one to the next.
  void copy(std::int64_t begin, std::int64_t count, double* to, std::int64_t stride) const {
    for_each_sent([&](const SampleArray&, const Eigen::ArrayXXd& array) {
      for (Eigen::Index k = 0; k < array.cols(); ++k, to += stride)
        std::copy_n(array.data() + k * array.rows() + begin, count, to);
    });
    for (const RowArray& channel : rows_)
      for (Eigen::Index k = 0; k < channel.cols(); ++k, to += stride)
        Eigen::Map<Eigen::ArrayXd>(to, count) = channel.col(k).segment(begin, count);
  }

  /// Returns the columns of samples if `count` samples of all start at `at`; constant parts come
  /// from `view`.
  void place(const double* at, std::int64_t count, core::SampleView& view) const {
    for (const SampleArray& array : kEvaluatedArrays) view.*array.view = nullptr;
    for_each_sent([&](const SampleArray& array, const Eigen::ArrayXXd& numbers) {
      view.*array.view = at;
      at += numbers.cols() * count;
    });
    view.stride = count;
  }

 private:
  /// Calls `function` for the arrays that exist.
  template <class Function>
  void for_each_sent(const Function& function) const {
    if (!samples_) return;
    const auto if_there = [&](const SampleArray& array, const Eigen::ArrayXXd& numbers) {
      if (numbers.size() > 0) function(array, numbers);
    };
    for_each_array(*samples_, if_there, kEvaluatedArrays);
  }

  const Samples* samples_ = nullptr;
  std::span<const RowArray> rows_;
  std::int64_t num_columns_ = 0;
};

}  // namespace heft::cuda
