// Rounds of a benchmark that other processes or a lower clock rate cannot distort: the register
// peak is measured with every round, and rounds with a low peak are dropped and counted.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace heft::tools {

/// Statistics of the valid rounds of one figure.
struct Timing {
  double median = NAN, spread = NAN;  ///< seconds of a round
  double peak = NAN;                  ///< best register peak beside them [multiply-adds/s]
  int kept = 0, dropped = 0;
};

/// Rounds of one figure, each with its register peak.
class Rounds {
 public:
  void add(double seconds, double peak) { rounds_.push_back({seconds, peak}); }

  Timing timing() const {
    Timing timing{.peak = best_peak()};
    std::vector<double> kept;
    for (const Round& round : rounds_)
      if (round.peak >= kUndisturbed * timing.peak) kept.push_back(round.seconds);
    timing.kept = static_cast<int>(kept.size());
    timing.dropped = static_cast<int>(rounds_.size() - kept.size());
    if (kept.empty()) return timing;
    std::sort(kept.begin(), kept.end());
    timing.median = kept[kept.size() / 2];
    timing.spread = (kept[kept.size() * 9 / 10] - kept[kept.size() / 10]) / timing.median;
    return timing;
  }
  bool are_enough() const { return timing().kept >= 5; }

 private:
  static constexpr double kUndisturbed = 0.97;  ///< of the best peak
  struct Round {
    double seconds, peak;
  };

  double best_peak() const {
    double best = 0;
    for (const Round& round : rounds_) best = std::max(best, round.peak);
    return best;
  }

  std::vector<Round> rounds_;
};

}  // namespace heft::tools
