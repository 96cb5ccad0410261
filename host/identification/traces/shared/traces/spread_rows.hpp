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
  void push(const Eigen::ArrayXXd& rows);

  const std::vector<Eigen::RowVectorXd>& rows() const { return kept_; }

  /// Returns the index in the stream of row k of rows().
  long long index(std::size_t k) const { return static_cast<long long>(k) * stride_; }

 private:
  int max_rows_;
  long long seen_ = 0, stride_ = 1;
  std::vector<Eigen::RowVectorXd> kept_;
};

}  // namespace heft
#pragma GCC visibility pop
