// Makes ResidualBlocks of residuals that stream by, in constant memory: blocks double in length
// whenever they become too many.
#pragma once

#include <vector>

#include "heft/evidence/evidence.hpp"
#include "heft/log/log.hpp"
#include "heft/model/samples.hpp"

#pragma GCC visibility push(default)
namespace heft {

class ResidualRecorder {
 public:
  /// The samples that follow and what is predicted for them, num_samples x num_channels.
  void push(int segment, const Samples& block, const Eigen::ArrayXXd& predicted);

  /// One a log. `logs`: what the segments are of, in their order.
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
  /// Short blocks, of short segments, joined with those after them until none is shorter than a log
  /// has room for.
  static std::vector<Block> evened(std::vector<Block> blocks);

  std::vector<Segment> segments_;
};

}  // namespace heft
#pragma GCC visibility pop
