#include "stamp_resolution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "base/median.hpp"
#include "readers/pause.hpp"

namespace heft {

namespace {

constexpr double kCoarse = 0.05;         ///< steps below this share of a period change nothing that
                                         ///< matters
constexpr double kAmbiguous = 1.0 / 3;   ///< steps above this share of a period hide a lost row
constexpr double kUniformWidth = 1.4;    ///< steps; rounding makes 1, a lost row 2
constexpr std::size_t kLeastOdd = 4;     ///< odd steps: fewer do not shift a log
constexpr std::size_t kMostSteps = 400;  ///< different steps that multiples of a coarse step can
                                         ///< have
constexpr std::size_t kLeastRows = 50;
constexpr std::size_t kWindow = 32;  ///< rows that few lost rows leave whole

double rounding_of(const std::vector<double>& time) {
  const double largest = std::max(std::abs(time.front()), std::abs(time.back()));
  return 1e-9 + 8 * std::numeric_limits<double>::epsilon() * largest;
}

/// Greatest common divisor of `step` and `whole`, both known to within `rounding`.
double common_divisor(double step, double whole, double rounding) {
  while (whole > rounding) {
    double rest = std::fmod(step, whole);
    if (whole - rest < rounding) rest = 0;
    step = whole;
    whole = rest;
  }
  return step;
}

/// Secondary rounding of the stamps: the coarsest power of ten that divides all of them [s]; 0:
/// none. A tick of 1/128 s that is printed with six decimals is a multiple of 1e-6 s alone.
double decimal_grid(const std::vector<double>& time) {
  const double rounding = rounding_of(time);
  for (const double grid : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6})
    if (grid > 4 * rounding && std::all_of(time.begin(), time.end(), [&](double t) {
          return std::abs(t - grid * std::round(t / grid)) <= rounding;
        }))
      return grid;
  return 0;
}

/// Steps between stamps.
struct Steps {
  double resolution = 0;  ///< [s]; 0: none that is coarse
  double usual = 0;       ///< [s] the most frequent step
  double tolerance = 0;   ///< [s] within which steps are alike
  std::size_t num_odd = 0, num_zero = 0;
};

bool is_near(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance;
}

/// Steps that are alike.
struct Cluster {
  std::size_t count = 0;
  double mean = 0, smallest = 0, largest = 0;  ///< [s]
};

/// Steps, clustered where neighbors are no further apart than `apart`; nothing where there are more
/// than coarse stamps have.
std::vector<Cluster> clustered(const std::vector<double>& time, const std::vector<StampRun>& runs,
                               double apart) {
  std::map<long long, std::pair<std::size_t, double>> histogram;  // count, sum
  auto last_bin = histogram.end();
  for (const StampRun& run : runs)
    for (std::size_t k = run.first + 1; k <= run.last; ++k) {
      const double step = time[k] - time[k - 1];
      const long long bin = std::llround(step / apart);
      if (last_bin == histogram.end() || last_bin->first != bin)
        last_bin = histogram.try_emplace(bin).first;
      ++last_bin->second.first;
      last_bin->second.second += step;
      if (histogram.size() > kMostSteps) return {};
    }
  std::vector<Cluster> clusters;
  for (const auto& [key, entry] : histogram) {
    const auto& [count, sum] = entry;
    const double size = sum / static_cast<double>(count);
    if (clusters.empty() || size - clusters.back().largest > 1.5 * apart)
      clusters.push_back({0, 0, size, size});
    Cluster& last = clusters.back();
    last.mean = (last.mean * static_cast<double>(last.count) + sum) /
                static_cast<double>(last.count + count);
    last.count += count;
    last.largest = size;
  }
  return clusters;
}

/// `grid`: secondary rounding of the stamps; 0: none.
Steps steps_of(const std::vector<double>& time, const std::vector<StampRun>& runs, double period,
               double grid = 0) {
  const double rounding = rounding_of(time);
  Steps steps{.tolerance = grid > 0 ? 1.6 * grid : 8 * rounding};
  const std::vector<Cluster> clusters = clustered(time, runs, grid > 0 ? grid : 4 * rounding);
  double divisor = 0;
  const Cluster* usual = nullptr;
  std::size_t num_steps = 0;
  for (const Cluster& cluster : clusters) {
    num_steps += cluster.count;
    if (!usual || cluster.count > usual->count) usual = &cluster;
    if (cluster.mean <= steps.tolerance) {
      steps.num_zero = cluster.count;
      continue;
    }
    divisor = divisor > 0 ? common_divisor(cluster.mean, divisor, steps.tolerance) : cluster.mean;
    if (divisor < kCoarse * period || divisor < 3 * grid) return {};
  }
  if (!usual) return {};
  steps.usual = usual->mean <= steps.tolerance ? 0 : usual->mean;
  steps.num_odd = num_steps - usual->count;
  steps.resolution = divisor;
  return steps;
}

/// float32 stamps become twice as coarse in the middle of a log: the coarsest resolution of its
/// quarters.
double coarsest(const std::vector<double>& time, const std::vector<StampRun>& runs, double period,
                double resolution) {
  constexpr std::size_t kParts = 4;
  double largest = resolution;
  for (const StampRun& run : runs) {
    const std::size_t size = (run.last - run.first) / kParts;
    if (size < kLeastRows) continue;
    for (std::size_t part = 0; part < kParts; ++part) {
      const StampRun piece{run.first + part * size, run.first + (part + 1) * size};
      const Steps steps = steps_of(time, {piece}, period);
      if (steps.num_odd >= kLeastOdd) largest = std::max(largest, steps.resolution);
    }
  }
  return std::min(largest, 2.01 * resolution);
}

/// Smallest and largest deviation of a run from k T, which starts at its first stamp.
std::pair<double, double> deviations(const std::vector<double>& time, const StampRun& run,
                                     double period) {
  double lowest = 0, highest = 0;
  for (std::size_t k = run.first; k <= run.last; ++k) {
    const double deviation =
        time[k] - time[run.first] - static_cast<double>(k - run.first) * period;
    lowest = std::min(lowest, deviation);
    highest = std::max(highest, deviation);
  }
  return {lowest, highest};
}

/// Share of short windows whose stamps are those of a uniform clock of any rate.
double share_uniform(const std::vector<double>& time, const std::vector<StampRun>& runs,
                     double width) {
  std::size_t num_windows = 0, num_uniform = 0;
  for (const StampRun& run : runs)
    for (std::size_t first = run.first; first + kWindow <= run.last; first += kWindow) {
      ++num_windows;
      if (fit_uniform(time, {{first, first + kWindow}}).width <= width) ++num_uniform;
    }
  return num_windows > 0 ? static_cast<double>(num_uniform) / static_cast<double>(num_windows) : 0;
}

/// Share of the repeated stamps whose rows repeat every signal, too: rows that were logged twice.
double share_copied(const std::vector<double>& time,
                    const std::vector<std::vector<double>>& signals) {
  std::size_t num_repeated = 0, num_copied = 0;
  for (std::size_t k = 1; k < time.size(); ++k) {
    if (time[k] != time[k - 1]) continue;
    ++num_repeated;
    if (std::all_of(signals.begin(), signals.end(), [&](const std::vector<double>& signal) {
          return signal[k] == signal[k - 1] || (std::isnan(signal[k]) && std::isnan(signal[k - 1]));
        }))
      ++num_copied;
  }
  return num_repeated > 0 ? static_cast<double>(num_copied) / static_cast<double>(num_repeated) : 0;
}

/// Whether signals advance over odd steps according to the stamps (1) or as over regular steps (0).
struct Advance {
  double share = 0, error = std::numeric_limits<double>::infinity();
  bool is_known() const { return error < 0.1; }
  bool follows_stamps() const { return is_known() && share > 0.85; }
};

struct AdvanceSums {
  double by_odd = 0, odd2 = 0, noise2 = 0, usual2 = 0, by_usual = 0;
  std::size_t num_usual = 0;
};

/// Compares increments of one signal with their neighbors, at regular and at odd steps.
AdvanceSums advance_of(const std::vector<double>& time, const StampRun& run, const Steps& steps,
                       const std::vector<double>& signal) {
  AdvanceSums sums;
  const auto step = [&](std::size_t k) { return time[k] - time[k - 1]; };
  const auto is_usual = [&](std::size_t k) {
    return is_near(step(k), steps.usual, steps.tolerance);
  };
  for (std::size_t k = run.first + 2; k + 1 <= run.last; ++k) {
    if (!is_usual(k - 1) || !is_usual(k + 1)) continue;
    const double expected = 0.5 * (signal[k - 1] - signal[k - 2] + signal[k + 1] - signal[k]);
    const double found = signal[k] - signal[k - 1];
    if (!std::isfinite(expected) || !std::isfinite(found)) continue;
    const double extra = step(k) / steps.usual - 1;
    if (is_usual(k)) {
      sums.by_usual += found * expected;
      sums.usual2 += expected * expected;
      sums.noise2 += (found - expected) * (found - expected);
      ++sums.num_usual;
    } else {
      sums.by_odd += extra * expected * (found - expected);
      sums.odd2 += extra * extra * expected * expected;
    }
  }
  return sums;
}

Advance advance_over_odd_steps(const std::vector<double>& time, const std::vector<StampRun>& runs,
                               const Steps& steps,
                               const std::vector<std::vector<double>>& signals) {
  constexpr double kSmooth = 0.8;  // of an increment: prediction from its neighbors
  double by = 0, squares = 0;
  if (!(steps.usual > 0)) return {};
  for (const std::vector<double>& signal : signals) {
    AdvanceSums all;
    for (const StampRun& run : runs) {
      const AdvanceSums sums = advance_of(time, run, steps, signal);
      all.by_odd += sums.by_odd, all.odd2 += sums.odd2, all.noise2 += sums.noise2;
      all.usual2 += sums.usual2, all.by_usual += sums.by_usual, all.num_usual += sums.num_usual;
    }
    if (all.num_usual == 0 || !(all.by_usual > kSmooth * all.usual2)) continue;
    const double noise2 = (all.noise2 + 1e-6 * all.usual2) / static_cast<double>(all.num_usual);
    by += all.by_odd / noise2;
    squares += all.odd2 / noise2;
  }
  if (!(squares > 0)) return {};
  return {by / squares, 1 / std::sqrt(squares)};
}

/// Minimum of a convex function on an interval.
template <class Function>
double least_of(double low, double high, const Function& function) {
  constexpr int kThirds = 70;
  for (int i = 0; i < kThirds; ++i) {
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    (function(a) < function(b) ? high : low) = function(a) < function(b) ? b : a;
  }
  return 0.5 * (low + high);
}

/// The period if rows are lost: slope of lines through windows, where lost rows add constants to
/// the widths.
double usual_period(const std::vector<double>& time, const std::vector<StampRun>& runs,
                    double mean) {
  constexpr std::size_t kRows = 256;
  constexpr double kAround = 0.1;
  const auto width = [&](double period) {
    double sum = 0;
    for (const StampRun& run : runs)
      for (std::size_t first = run.first; first < run.last; first += kRows)
        sum += width_of(time, {first, std::min(first + kRows, run.last)}, period);
    return sum;
  };
  return least_of((1 - kAround) * mean, (1 + kAround) * mean, width);
}

ClockReport judge_steps(const std::vector<double>& time, const std::vector<StampRun>& runs,
                        const ReadSignals& read_signals, double mean, double grid) {
  const Steps steps = steps_of(time, runs, mean, grid);
  if (!(steps.resolution >= kCoarse * mean) || steps.num_odd < kLeastOdd) return {};
  const std::vector<std::vector<double>> signals = read_signals();
  if (steps.num_zero > 0 && share_copied(time, signals) > 0.5) return {};
  const Advance advance = advance_over_odd_steps(time, runs, steps, signals);
  if (advance.follows_stamps()) return {};
  const double resolution =
      grid > 0 ? steps.resolution : coarsest(time, runs, mean, steps.resolution);
  const double width = kUniformWidth * (resolution + grid);
  const bool hides_losses = resolution > kAmbiguous * mean;
  // of fine steps rows may come when the stamps say so
  if (!hides_losses && !advance.is_known()) return {};
  const UniformFit fit = fit_uniform(time, runs);
  if (fit.width <= width) return {ClockState::rebuilt, resolution, fit.period, 0};
  constexpr double kLeastUniform = 0.25;
  if (!hides_losses || !advance.is_known() || share_uniform(time, runs, width) < kLeastUniform)
    return {};
  return {ClockState::uncertain, resolution, usual_period(time, runs, mean), 0};
}

}  // namespace

double longest_step(const std::vector<double>& time, double max_gap_s) {
  if (max_gap_s > 0) return max_gap_s;
  std::vector<double> steps;
  for (std::size_t k = 1; k < time.size(); ++k)
    if (time[k] > time[k - 1]) steps.push_back(time[k] - time[k - 1]);
  return steps.empty() ? 0 : kPauseInSteps * median(std::move(steps));
}

std::vector<StampRun> runs_without_pause(const std::vector<double>& time, double max_gap_s) {
  std::vector<StampRun> runs;
  for (std::size_t k = 0; k < time.size(); ++k)
    if (k == 0 || time[k] - time[k - 1] > max_gap_s) {
      runs.push_back({k, k});
    } else {
      runs.back().last = k;
    }
  return runs;
}

UniformFit fit_uniform(const std::vector<double>& time, const std::vector<StampRun>& runs) {
  double duration = 0, num_steps = 0;
  for (const StampRun& run : runs) {
    duration += time[run.last] - time[run.first];
    num_steps += static_cast<double>(run.last - run.first);
  }
  if (!(num_steps > 0) || !(duration > 0)) return {};
  const double mean = duration / num_steps;
  const auto width = [&](double period) {
    double largest = 0;
    for (const StampRun& run : runs) largest = std::max(largest, width_of(time, run, period));
    return largest;
  };
  constexpr double kAround = 0.2;
  UniformFit fit;
  fit.period = least_of((1 - kAround) * mean, (1 + kAround) * mean, width);
  fit.width = width(fit.period);
  return fit;
}

double width_of(const std::vector<double>& time, const StampRun& run, double period) {
  const auto [lowest, highest] = deviations(time, run, period);
  return highest - lowest;
}

double middle_deviation(const std::vector<double>& time, const StampRun& run, double period) {
  const auto [lowest, highest] = deviations(time, run, period);
  return 0.5 * (lowest + highest);
}

ClockReport judge_stamps(const std::vector<double>& time, const ReadSignals& read_signals,
                         double max_gap_s) {
  if (time.size() < kLeastRows) return {};
  for (std::size_t k = 0; k < time.size(); ++k)
    if (!std::isfinite(time[k]) || (k > 0 && time[k] < time[k - 1])) return {};
  const std::vector<StampRun> runs = runs_without_pause(time, longest_step(time, max_gap_s));
  double duration = 0, num_steps = 0;
  for (const StampRun& run : runs) {
    duration += time[run.last] - time[run.first];
    num_steps += static_cast<double>(run.last - run.first);
  }
  if (!(duration > 0)) return {};
  const double mean = duration / num_steps;
  const ClockReport report = judge_steps(time, runs, read_signals, mean, 0);
  if (report.state == ClockState::rebuilt) return report;
  const double grid = decimal_grid(time);
  const ClockReport rounded_twice =
      grid > 0 ? judge_steps(time, runs, read_signals, mean, grid) : ClockReport{};
  return rounded_twice.state == ClockState::as_logged ? report : rounded_twice;
}

}  // namespace heft
