#include "evidence/residual_recorder.hpp"

#include <algorithm>

namespace heft {

void ResidualRecorder::Block::add(const Block& later) {
  num_samples += later.num_samples;
  to_s = later.to_s;
  num_rows += later.num_rows;
  error += later.error;
  error2 += later.error2;
  torque2 += later.torque2;
}

ResidualRecorder::Block ResidualRecorder::block_of(const Samples& samples, Eigen::Index first,
                                                   Eigen::Index count,
                                                   const Eigen::ArrayXXd& residual,
                                                   const Eigen::ArrayXXd& used) {
  const auto e = residual.middleRows(first, count);
  const auto is_used = used.middleRows(first, count);
  return {count,
          samples.time[first],
          samples.time[first + count - 1],
          is_used.colwise().sum().transpose(),
          e.colwise().sum().transpose(),
          e.square().colwise().sum().transpose(),
          (is_used * samples.torque.middleRows(first, count)).square().colwise().sum().transpose()};
}

void ResidualRecorder::shorten(std::vector<Block>& blocks) {
  std::vector<Block> pairs;
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    pairs.push_back(std::move(blocks[i]));
    if (i + 1 < blocks.size()) pairs.back().add(blocks[i + 1]);
  }
  blocks = std::move(pairs);
}

std::vector<ResidualRecorder::Block> ResidualRecorder::evened(std::vector<Block> blocks) {
  long long num_samples = 0;
  for (const Block& block : blocks) num_samples += block.num_samples;
  const long long least =
      (num_samples + ResidualBlocks::kMaxBlocks - 1) / ResidualBlocks::kMaxBlocks;
  std::vector<Block> even;
  for (Block& block : blocks)
    if (!even.empty() && even.back().num_samples < least)
      even.back().add(block);
    else
      even.push_back(std::move(block));
  return even;
}

void ResidualRecorder::push(int segment, const Samples& block, const Eigen::ArrayXXd& predicted) {
  const Eigen::Index num_channels = predicted.cols();
  if (segments_.empty() || segments_.back().id != segment)
    segments_.push_back({segment, 1, {}, Eigen::MatrixXd::Zero(num_channels, num_channels)});
  Segment& open = segments_.back();
  const Eigen::ArrayXXd used = (block.weight != 0).cast<double>();
  const Eigen::ArrayXXd residual = used * (block.torque - predicted);
  open.products += residual.matrix().transpose() * residual.matrix();
  for (Eigen::Index k = 0; k < block.size();) {
    const bool goes_on =
        !open.blocks.empty() && open.blocks.back().num_samples < open.samples_per_block;
    const long long room = open.samples_per_block - (goes_on ? open.blocks.back().num_samples : 0);
    const Eigen::Index count = std::min<Eigen::Index>(room, block.size() - k);
    Block next = block_of(block, k, count, residual, used);
    k += count;
    if (goes_on)
      open.blocks.back().add(next);
    else
      open.blocks.push_back(std::move(next));
    if (static_cast<int>(open.blocks.size()) > ResidualBlocks::kMaxBlocks) {
      shorten(open.blocks);
      open.samples_per_block *= 2;
    }
  }
}

std::vector<ResidualBlocks> ResidualRecorder::by_log(const std::vector<LogSummary>& logs,
                                                     bool held_out) const {
  std::vector<ResidualBlocks> all;
  int first_segment = 0;
  for (const LogSummary& log : logs) {
    std::vector<Block> blocks;
    ResidualBlocks result{.log = log.path, .held_out = held_out};
    for (const Segment& segment : segments_) {
      if (segment.id < first_segment || segment.id >= first_segment + log.num_segments) continue;
      blocks.insert(blocks.end(), segment.blocks.begin(), segment.blocks.end());
      if (result.products.size() == 0) result.products = 0 * segment.products;
      result.products += segment.products;
    }
    first_segment += log.num_segments;
    blocks = evened(std::move(blocks));
    if (blocks.empty()) continue;
    const auto num_blocks = static_cast<Eigen::Index>(blocks.size());
    const Eigen::Index num_channels = blocks[0].error.size();
    for (Eigen::ArrayXXd* array :
         {&result.num_rows, &result.error, &result.error2, &result.torque2})
      array->resize(num_blocks, num_channels);
    for (Eigen::Index b = 0; b < num_blocks; ++b) {
      const Block& block = blocks[static_cast<std::size_t>(b)];
      result.from_s.push_back(block.from_s);
      result.to_s.push_back(block.to_s);
      result.num_rows.row(b) = block.num_rows.transpose();
      result.error.row(b) = block.error.transpose();
      result.error2.row(b) = block.error2.transpose();
      result.torque2.row(b) = block.torque2.transpose();
    }
    all.push_back(std::move(result));
  }
  return all;
}

}  // namespace heft
