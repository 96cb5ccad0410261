#include "heft/moments/information.hpp"

#include <algorithm>
#include <string>

#include "heft/moments/moments.hpp"

namespace heft {

namespace {

/// Sums that are in memory at a time [doubles], 64 MB.
constexpr std::int64_t kMaxSums = std::int64_t{1} << 23;

std::int64_t length_of(const GeneratedMotion& motion) {
  return std::visit([](const auto& kind) { return kind.num_samples; }, motion);
}

/// The chunks of one motion, added up.
Eigen::MatrixXd information_of(const PlanPtr& plan, const AccumulateOptions& options,
                               std::span<const double> chunks) {
  Moments sum = zero_moments(plan, options.channel_weights);
  for (std::size_t i = 0; i < chunks.size(); ++i) sum.packed[i % sum.packed.size()] += chunks[i];
  return normal_equations(sum, options.channel_weights).G;
}

}  // namespace

Result<std::vector<Eigen::MatrixXd>> information(Backend& backend, const PlanPtr& plan,
                                                 std::span<const GeneratedMotion> motions,
                                                 const InformationOptions& options,
                                                 const Progress& progress) {
  AccumulateOptions sums{.precision = options.precision, .channel_weights = options.channel_weights};
  if (sums.channel_weights.size() == 0) sums.channel_weights.setOnes(plan->num_channels());
  if (sums.channel_weights.size() != plan->num_channels())
    return Error{"weights", "there are " + std::to_string(sums.channel_weights.size()) + " weights",
                 "give one for each of the " + std::to_string(plan->num_channels()) + " channels"};
  if (!sums.channel_weights.allFinite() || (sums.channel_weights.array() < 0).any())
    return Error{"weights", "one of them is negative or not finite", "give 1 / noise^2 of every channel"};

  const std::size_t at_a_time = static_cast<std::size_t>(
      std::max(std::int64_t{1}, kMaxSums / std::max(std::int64_t{1}, packed_size(*plan, sums))));
  std::vector<Eigen::MatrixXd> found;
  found.reserve(motions.size());
  while (found.size() < motions.size()) {
    HEFT_CHECK(report_progress(progress, "motions",
                               static_cast<double>(found.size()) / static_cast<double>(motions.size())));
    const auto some = motions.subspan(found.size(), std::min(at_a_time, motions.size() - found.size()));
    std::vector<AccumulateJob> jobs;
    for (const GeneratedMotion& motion : some)
      jobs.push_back({.plan = plan.get(), .count = length_of(motion), .options = &sums, .motion = &motion});
    std::vector<std::vector<double>> partials(some.size());
    HEFT_CHECK(backend.accumulate(jobs, partials));
    for (const std::vector<double>& chunks : partials) found.push_back(information_of(plan, sums, chunks));
  }
  return found;
}

}  // namespace heft
