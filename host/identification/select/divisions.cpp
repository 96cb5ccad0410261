#include "divisions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heft::select {

namespace {

constexpr double kShortestFold = 4.0 / 36;  ///< of the reach, 36 time constants of the filter

/// The folds of one division; their torques cancel in a gain.
FoldErrors part(const FoldErrors& errors, Eigen::Index from, Eigen::Index size) {
  return {errors.squared.segment(from, size), 1};
}

}  // namespace

std::vector<int> division_sizes(int num_folds) {
  const int half = num_folds / 2;
  return half >= 2 ? std::vector<int>{num_folds, half} : std::vector<int>{num_folds};
}

int most_folds(const TrainingData& data) {
  double shortest_s = 0, duration_s = 0;
  std::int64_t num_samples = 0;
  for (const MomentStretch& stretch : data.stretches) num_samples += stretch.num_samples;
  for (const LogSummary& log : data.logs) {
    shortest_s = std::max(shortest_s, log.filter_reach_s * kShortestFold);
    duration_s = std::max(duration_s, static_cast<double>(num_samples) * log.sample_period_s);
  }
  const double folds = shortest_s > 0 ? duration_s / shortest_s : std::numeric_limits<int>::max();
  return static_cast<int>(std::min<double>(folds, std::numeric_limits<int>::max()));
}

Result<Divisions> divide(const TrainingData& data, const std::vector<int>& sizes, int num_threads) {
  Divisions result{.gap_is_full = true};
  for (const int size : sizes) {
    HEFT_TRY(cut, blocked_folds(data, size, num_threads));
    for (Fold& fold : cut.folds) result.folds.push_back(std::move(fold));
    result.gap_s = std::max(result.gap_s, cut.gap_s);
    result.gap_is_full = result.gap_is_full && cut.gap_is_full;
  }
  return result;
}

StableGain stable_gain(const FoldErrors& before, const FoldErrors& after,
                       const std::vector<int>& sizes) {
  StableGain result{gain(before, after), std::numeric_limits<double>::infinity()};
  result.standard_errors = 0;
  Eigen::Index from = 0;
  for (const int size : sizes) {
    const Gain found = gain(part(before, from, size), part(after, from, size));
    result.standard_errors += found.standard_errors / static_cast<double>(sizes.size());
    // NaN of a part without an optimum stays
    if (!std::isnan(result.least_share) && !(found.share >= result.least_share))
      result.least_share = found.share;
    from += size;
  }
  return result;
}

}  // namespace heft::select
