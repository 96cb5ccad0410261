// Finds times at which the body on the link changes: two bodies then explain the joint torques far
// better than one.
#include <algorithm>
#include <numeric>

#include "checks/change_limits.hpp"
#include "linalg/factorizations.hpp"
#include "payload/by_torques.hpp"
#include "torque_sums.hpp"
#include "training/folds.hpp"

namespace heft {

namespace {

using namespace payload;

constexpr int kMinBlocks = 3;     // of a stretch
constexpr double kUnseen = 1e-9;  // of the log's information: a stretch with less is
                                  // uninformative

/// Weighted sums of blocks over ten parameters d that are added to the one body which fits the
/// whole log best.
struct BlockSums {
  Matrix10d G = Matrix10d::Zero();
  BodyParameters b = BodyParameters::Zero();
  double left = 0;  ///< squares at d = 0

  BlockSums& operator+=(const BlockSums& other) {
    G += other.G, b += other.b, left += other.left;
    return *this;
  }
};

class TorqueChanges {
 public:
  TorqueChanges(std::vector<BlockSums> blocks, const BodyParameters& whole)
      : blocks_(std::move(blocks)), whole_(whole) {
    for (const BlockSums& block : blocks_) all_ += block;
  }

  /// Indices of the first blocks after changes, in order.
  std::vector<int> run() {
    split(0, static_cast<int>(blocks_.size()));
    std::sort(changes_.begin(), changes_.end());
    return changes_;
  }

 private:
  struct Fit {
    BodyParameters d = BodyParameters::Zero();
    double left = 0;
  };

  BlockSums between(int from, int to) const {
    BlockSums sums;
    for (int k = from; k < to; ++k) sums += blocks_[static_cast<std::size_t>(k)];
    return sums;
  }

  Fit fit(int from, int to) const {
    const BlockSums sums = between(from, to);
    Matrix10d G = sums.G;
    G.diagonal() += kUnseen * all_.G.diagonal();
    Fit found{.d = G.ldlt().solve(sums.b)};
    found.left = sums.left - found.d.dot(sums.b);
    return found;
  }

  /// Reduction of the squares by noise alone when a separate body is fitted, given the row
  /// correlation from the scores of blocks.
  double chance(int from, int at, int to, const Fit& before, const Fit& behind) const {
    Matrix10d scatter = Matrix10d::Zero();
    for (int k = from; k < to; ++k) {
      const BlockSums& block = blocks_[static_cast<std::size_t>(k)];
      const BodyParameters score = block.b - block.G * (k < at ? before.d : behind.d);
      scatter += score * score.transpose();
    }
    Matrix10d G = between(from, to).G;
    G.diagonal() += kUnseen * all_.G.diagonal();
    return G.ldlt().solve(scatter).trace() / static_cast<double>(core::kNumParameters);
  }

  void split(int from, int to) {
    if (static_cast<int>(changes_.size()) >= kMaxChanges || to - from < 2 * kMinBlocks) return;
    const double one = fit(from, to).left;
    int best = 0;
    double left = one;
    for (int at = from + kMinBlocks; at <= to - kMinBlocks; ++at)
      if (const double two = fit(from, at).left + fit(at, to).left; two < left)
        left = two, best = at;
    if (best == 0 || left > kStillLeft * one) return;
    const Fit before = fit(from, best), behind = fit(best, to);
    if (!(one - left > kChanceOfChange * chance(from, best, to, before, behind))) return;
    if (!is_another_body(whole_ + before.d, whole_ + behind.d)) return;
    changes_.push_back(best);
    split(from, best), split(best, to);
  }

  std::vector<BlockSums> blocks_;
  BodyParameters whole_;
  BlockSums all_;
  std::vector<int> changes_;
};

}  // namespace

std::vector<std::int64_t> changes_by_torques(const KnownRobot& robot, const CarryingLink& link,
                                             const TrainingData& data) {
  const auto cut = independent_blocks(data, 2 * kMinBlocks);
  if (!cut || data.logs.size() > 1) return {};
  const auto fit = fit_torques(robot, link, data.moments, {});
  if (!fit) return {};
  const Eigen::MatrixXd of_body = fit->from_robot * quantities_of_payload(robot, link);
  const Eigen::VectorXd loaded = fit->loaded(fit->x);
  std::vector<BlockSums> blocks;
  for (const Moments& block : cut->blocks) {
    const NormalEquations sums = normal_equations(block, fit->channel_weights);
    blocks.push_back({of_body.transpose() * sums.G * of_body,
                      of_body.transpose() * (sums.b - sums.G * loaded),
                      sums.residual_cost(loaded)});
  }
  std::vector<std::int64_t> changes;
  for (const int block : TorqueChanges(std::move(blocks), fit->x).run())
    changes.push_back(std::accumulate(cut->num_samples.begin(), cut->num_samples.begin() + block,
                                      std::int64_t{0}));
  return changes;
}

}  // namespace heft
