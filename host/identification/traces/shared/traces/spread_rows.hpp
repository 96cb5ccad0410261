// Some rows of a stream of unknown length, evenly spread over it, in constant memory: every k-th,
// where k doubles whenever the rows become too many.
#pragma once

#include <Eigen/Core>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

class SpreadRows {
 public:
  /// Keeps at most `max_rows` (two or more), and at least half as many of a stream that has them.
  explicit SpreadRows(int max_rows) : max_rows_(max_rows) {}

  /// The rows that follow, all of one length.
  void push(const Eigen::ArrayXXd& rows);

  const std::vector<Eigen::RowVectorXd>& rows() const { return kept_; }

  /// Number of row k of rows() in the stream.
  long long index(std::size_t k) const { return static_cast<long long>(k) * stride_; }

 private:
  int max_rows_;
  long long seen_ = 0, stride_ = 1;
  std::vector<Eigen::RowVectorXd> kept_;
};

}  // namespace heft
#pragma GCC visibility pop
