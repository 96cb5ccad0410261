// Computes ResidualBlocks from a stream of residuals in constant memory: blocks double in length
// whenever there are too many.
#pragma once

#include <vector>

#include "heft/evidence/evidence.hpp"
#include "heft/log/log.hpp"
#include "heft/model/samples.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Records the residuals of all logs.
class ResidualRecorder {
 public:
  /// Adds the next samples and their predicted torques, num_samples x num_channels.
  void push(int segment, const Samples& block, const Eigen::ArrayXXd& predicted);

  /// Returns one entry per log. `logs` are those of the segments, in order.
  std::vector<ResidualBlocks> by_log(const std::vector<LogSummary>& logs, bool held_out) const;

 private:
  struct Block {
    long long num_samples = 0;
    double from_s = 0, to_s = 0;
    Eigen::ArrayXd num_rows, error, error2, torque2;

    void add(const Block& later);
  };
  struct Segment {
    int id = 0;
    long long samples_per_block = 1;
    std::vector<Block> blocks;
    Eigen::MatrixXd products;
  };
  static Block block_of(const Samples& samples, Eigen::Index first, Eigen::Index count,
                        const Eigen::ArrayXXd& residual, const Eigen::ArrayXXd& used);
  static void shorten(std::vector<Block>& blocks);
  /// Merges short blocks, of short segments, with the following ones until none is shorter than the
  /// number of blocks per log allows.
  static std::vector<Block> evened(std::vector<Block> blocks);

  std::vector<Segment> segments_;
};

}  // namespace heft
#pragma GCC visibility pop
