// A subset of the rows of a stream of unknown length, evenly distributed over it, in constant
// memory: every k-th row, where k doubles whenever there are too many.
#pragma once

#include <Eigen/Core>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// Keeps an evenly distributed subset of rows.
class SpreadRows {
 public:
  /// Keeps at most `max_rows` (two or more), and at least half as many if the stream has that many.
  explicit SpreadRows(int max_rows) : max_rows_(max_rows) {}

  /// Adds the next rows, all of the same length.
  void push(const Eigen::ArrayXXd& rows) {
    push(rows.rows(), [&](Eigen::Index i) { return rows.row(i).matrix(); });
  }

  /// Adds the next rows; calls row_of(i) only for those that it keeps, i in [0, num_rows).
  template <class RowOf>
  void push(Eigen::Index num_rows, const RowOf& row_of) {
    long long at = (seen_ + stride_ - 1) / stride_ * stride_;
    seen_ += num_rows;
    const long long first = seen_ - num_rows;
    while (at < seen_) {
      if (static_cast<int>(kept_.size()) == max_rows_) {
        const long long step = stride_;
        halve();
        if (at % stride_ != 0) at += step;
        continue;
      }
      kept_.emplace_back(row_of(static_cast<Eigen::Index>(at - first)));
      at += stride_;
    }
  }

  const std::vector<Eigen::RowVectorXd>& rows() const { return kept_; }

  /// Returns the index in the stream of row k of rows().
  long long index(std::size_t k) const { return static_cast<long long>(k) * stride_; }

 private:
  void halve();

  int max_rows_;
  long long seen_ = 0, stride_ = 1;
  std::vector<Eigen::RowVectorXd> kept_;
};

}  // namespace heft
#pragma GCC visibility pop
