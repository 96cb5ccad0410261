#include "evidence/joint_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/parallel_tasks.hpp"
#include "faults/changed_motion.hpp"
#include "heft/executor/executor.hpp"
#include "profile.hpp"
#include "refit_residuals.hpp"

namespace heft {

namespace {

constexpr std::size_t kMostGroups = 6;  // 720 orders
constexpr double kFallOfJoint = 0.1;  // log of the factor by which the rms error of a joint falls,
                                      // at least
constexpr double kFallOfSet = 0.7;    // the same, sum over the joints of a set
constexpr double kAsMuch = 0.9;       // of the largest fall: about as much

int channel_of(const RegressorPlan& plan, int joint) {
  for (int c = 0; c < plan.num_channels(); ++c)
    if (plan.channels[static_cast<std::size_t>(c)].coordinate == joint) return c;
  return -1;
}

void reorder(const RegressorPlan& plan, const JointOrder& order, Samples& samples) {
  const Samples old = samples;
  for (int joint = 0; joint < static_cast<int>(order.size()); ++joint) {
    const int from = order[static_cast<std::size_t>(joint)];
    for (auto array : {&Samples::position, &Samples::velocity, &Samples::acceleration})
      (samples.*array).col(joint) = (old.*array).col(from);
    const int to_channel = channel_of(plan, joint), from_channel = channel_of(plan, from);
    if (to_channel < 0 || from_channel < 0) continue;
    for (auto array : {&Samples::torque, &Samples::weight})
      if ((old.*array).size() > 0)
        (samples.*array).col(to_channel) = (old.*array).col(from_channel);
  }
}

Samples reordered(const RegressorPlan& plan, const Samples& stretch, const JointOrder& order) {
  return with_motion(stretch, [&](Samples& samples) { reorder(plan, order, samples); });
}

/// log of the rms errors of a group's joints, summed.
double log_error(const RegressorPlan& plan, const Residuals& left, const std::vector<int>& group) {
  double sum = 0;
  for (const int joint : group)
    if (const int c = channel_of(plan, joint); c >= 0 && left.num_rows[c] > 0)
      sum += 0.5 * std::log(std::max(left.error2[c], 1e-300) / left.num_rows[c]);
  return sum;
}

double sum_of(const Eigen::MatrixXd& errors, const std::vector<int>& from) {
  double sum = 0;
  for (std::size_t k = 0; k < from.size(); ++k)
    sum += errors(static_cast<Eigen::Index>(k), from[k]);
  return sum;
}

/// The arrangement of the groups of a set by `errors`, log of the rms errors of group k with the
/// columns of group l.
std::vector<int> best_arrangement(const Eigen::MatrixXd& errors, std::size_t num_joints) {
  const std::vector<int> unchanged = unchanged_order(static_cast<int>(errors.rows()));
  const std::vector<std::vector<int>> all = arrangements(unchanged.size());
  const double now = sum_of(errors, unchanged);
  double largest = 0;
  for (const std::vector<int>& from : all) largest = std::max(largest, now - sum_of(errors, from));
  if (largest < std::max(kFallOfSet, kFallOfJoint * static_cast<double>(num_joints)))
    return unchanged;
  // the least change of those that are about as good
  return *std::find_if(all.begin(), all.end(), [&](const std::vector<int>& from) {
    return now - sum_of(errors, from) >= kAsMuch * largest;
  });
}

class OrderSearch {
 public:
  OrderSearch(const HypothesisInput& input, const Workers& workers)
      : input_(input), workers_(workers) {}

  /// `left`: residuals of the result on the training logs as read.
  Result<std::vector<int>> arrangement(const LikeGroups& groups, const Residuals& left) const {
    const auto num_groups = static_cast<int>(groups.size());
    Eigen::MatrixXd errors(num_groups, num_groups);
    const auto enter = [&](int shift, const Residuals& residuals) {
      for (int k = 0; k < num_groups; ++k)
        errors(k, (k + shift) % num_groups) =
            log_error(plan(), residuals, groups[static_cast<std::size_t>(k)]);
    };
    enter(0, left);
    const auto turn = [&](std::int64_t index, int) -> Result<Done> {
      const auto shift = static_cast<int>(index) + 1;
      HEFT_TRY(residuals, residuals_of(groups, shift));
      enter(shift, residuals);  // entries of its own
      return Done{};
    };
    HEFT_CHECK(parallel_tasks(num_groups - 1, workers_.num_threads, workers_.progress,
                              "testing the order of the joints", turn));
    return best_arrangement(errors, groups.size() * groups.front().size());
  }

 private:
  const RegressorPlan& plan() const { return input_.setup.plan(); }

  /// Errors with every group reading the columns of the group `shift` places later.
  Result<Residuals> residuals_of(const LikeGroups& groups, int shift) const {
    std::vector<int> from;
    for (int k = 0; k < static_cast<int>(groups.size()); ++k)
      from.push_back((k + shift) % static_cast<int>(groups.size()));
    const JointOrder order = order_of_groups(plan().robot.num_coordinates(), groups, from);
    Excerpt training;
    for (const Samples& stretch : input_.training.stretches)
      training.stretches.push_back(reordered(plan(), stretch, order));
    const Excerpt no_held_out;
    const HypothesisInput changed = input_.on(training, no_held_out);
    Explained answer;
    HEFT_TRY(left, explained_again(changed, workers_, answer));
    return std::move(left.training);
  }

  const HypothesisInput& input_;
  const Workers& workers_;
};

}  // namespace

Result<std::optional<JointOrder>> likely_order(const HypothesisInput& input, int num_threads,
                                               const Progress& progress) {
  const Robot& robot = input.setup.plan().robot;
  std::optional<JointOrder> none;
  const std::vector<LikeGroups> sets = like_groups(robot);
  if (sets.empty() || input.training.stretches.empty()) return none;
  HEFT_TRY(backend, make_backend({.kind = BackendKind::cpu, .threads = 1}));
  const Workers workers{*backend, num_threads, progress};
  const Excerpt no_held_out;
  const HypothesisInput training = input.on(input.training, no_held_out);
  Explained answer;
  HEFT_TRY(as_it_is, explained_again(training, workers, answer));
  const OrderSearch search(input, workers);
  const JointOrder unchanged = unchanged_order(robot.num_coordinates());
  JointOrder order = unchanged;
  for (const LikeGroups& groups : sets) {
    if (groups.size() > kMostGroups) continue;
    HEFT_TRY(from, search.arrangement(groups, as_it_is.training));
    const JointOrder of_set = order_of_groups(robot.num_coordinates(), groups, from);
    for (const std::vector<int>& group : groups)
      for (const int joint : group)
        order[static_cast<std::size_t>(joint)] = of_set[static_cast<std::size_t>(joint)];
  }
  return order == unchanged ? none : std::optional<JointOrder>(std::move(order));
}

}  // namespace heft
