#include "heft/moments/moments.hpp"

#include <algorithm>
#include <string>

namespace heft {

namespace {

/// Chunks whose sums are in memory at a time: 8 MB.
std::int64_t chunks_at_a_time(const RegressorPlan& plan, const AccumulateOptions& options) {
  constexpr std::int64_t kMemory = std::int64_t{1} << 20;  // [doubles]
  return std::max(std::int64_t{1}, kMemory / std::max(std::int64_t{1}, packed_size(plan, options)));
}

/// Samples of one motion summed in one call.
struct Piece {
  std::size_t motion;
  std::int64_t begin, count;
};

/// Iterates over all samples of all motions, `num_chunks` per call; a motion may span several
/// calls.
std::vector<std::vector<Piece>> in_calls(std::span<const GeneratedMotion> motions,
                                         std::int64_t num_chunks) {
  std::vector<std::vector<Piece>> calls;
  std::int64_t room = 0;  // chunks that the last call has left
  for (std::size_t k = 0; k < motions.size(); ++k) {
    const std::int64_t size =
        std::visit([](const auto& kind) { return kind.num_samples; }, motions[k]);
    for (std::int64_t begin = 0; begin < size;) {
      if (room == 0) calls.emplace_back(), room = num_chunks;
      const std::int64_t count = std::min(size - begin, room * core::kChunkSamples);
      calls.back().push_back({k, begin, count});
      begin += count;
      room -= (count + core::kChunkSamples - 1) / core::kChunkSamples;
    }
  }
  return calls;
}

}  // namespace

Result<std::vector<Eigen::MatrixXd>> information(Backend& backend, const PlanPtr& plan,
                                                 std::span<const GeneratedMotion> motions,
                                                 const InformationOptions& options,
                                                 const Progress& progress) {
  AccumulateOptions sums{.precision = options.precision,
                         .channel_weights = options.channel_weights};
  if (sums.channel_weights.size() == 0) sums.channel_weights.setOnes(plan->num_channels());
  if (sums.channel_weights.size() != plan->num_channels())
    return Error{"weights",
                 std::to_string(sums.channel_weights.size()) + " weights for " +
                     std::to_string(plan->num_channels()) + " channels",
                 "give one weight for each channel"};
  if (!sums.channel_weights.allFinite() || (sums.channel_weights.array() < 0).any())
    return Error{"weights", "one of them is negative or not finite",
                 "give 1 / noise^2 of every channel"};

  Moments sum = zero_moments(plan, sums.channel_weights);  // of the motion whose samples are being
                                                           // summed
  std::vector<Eigen::MatrixXd> found(motions.size(), normal_equations(sum, sums.channel_weights).G);
  for (const std::vector<Piece>& call : in_calls(motions, chunks_at_a_time(*plan, sums))) {
    HEFT_CHECK(report_progress(
        progress, "motions",
        static_cast<double>(call.front().motion) / static_cast<double>(motions.size())));
    std::vector<AccumulateJob> jobs;
    for (const Piece& piece : call)
      jobs.push_back({.plan = plan.get(),
                      .begin = piece.begin,
                      .count = piece.count,
                      .options = &sums,
                      .motion = &motions[piece.motion]});
    std::vector<std::vector<double>> partials(call.size());
    HEFT_CHECK(backend.accumulate(jobs, partials));
    for (std::size_t i = 0; i < call.size(); ++i) {
      if (call[i].begin == 0) std::fill(sum.packed.begin(), sum.packed.end(), 0.0);
      for (std::size_t k = 0; k < partials[i].size(); ++k)
        sum.packed[k % sum.packed.size()] += partials[i][k];
      found[call[i].motion] = normal_equations(sum, sums.channel_weights).G;
    }
  }
  return found;
}

}  // namespace heft
