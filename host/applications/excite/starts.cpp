#include "starts.hpp"

#include <algorithm>

#include "base/number_text.hpp"
#include "base/parallel_for.hpp"
#include "motion_faults.hpp"
#include "nearest_motion.hpp"

namespace heft::excite {

namespace {

constexpr double kSamplesASecond = 20;  ///< of the search

/// Infeasibility of a start; 1 at its worst limit.
double excess_of(const StartResult& result) {
  double excess = worst_of(result.limits).worst_ratio;
  if (result.clearance && is_too_near(result.clearance->worst))
    excess = std::max(excess, 2 - result.clearance->worst.value / result.clearance->worst.wanted);
  return excess;
}

bool is_better(const StartResult& one, const StartResult& other) {
  if (one.feasible != other.feasible) return one.feasible;
  return one.feasible ? one.objective < other.objective : excess_of(one) < excess_of(other);
}

}  // namespace

int search_samples(const MotionShape& shape) {
  return static_cast<int>(std::clamp(std::round(kSamplesASecond * shape.duration), 100.0, 4000.0));
}

Starts::Starts(const Task& task, const ExciteOptions& options, const StartOptions& of_each,
               const Clocks& clocks, const Progress& progress)
    : task_(task),
      options_(options),
      of_each_(of_each),
      clocks_(clocks),
      progress_(progress),
      results_(options.starts),
      begun_(options.starts, 0) {}

void Starts::run() {
  const auto run = [&](std::int64_t start, int thread) { run_one(start, thread); };
  // the calling thread has one start: it listens for a stop until the last start has ended
  if (task_.wave != nullptr)
    return task_.wave->run(options_.starts, run, [this] { goes_on(0); });
  if (options_.run_starts) return options_.run_starts(options_.starts, run);
  parallel_for(options_.starts, std::max(1, options_.threads), run);
}

const StartResult& Starts::best(SearchEffort& effort) const {
  const StartResult* chosen = nullptr;
  for (int start = 0; start < options_.starts; ++start) {
    if (begun_[start] == 0) continue;
    effort.evaluations += results_[start].evaluations;
    ++effort.starts;
    if (chosen == nullptr || is_better(results_[start], *chosen)) chosen = &results_[start];
  }
  return *chosen;
}

std::string Starts::words_of_best() const {
  const double least = least_;
  if (!std::isfinite(least)) return "search";
  if (options_.objective == ExcitationObjective::d)
    return "search, best log det " + number_text(-least, 6);
  return std::string("search, best objective ") + enum_name(options_.objective) + " " +
         number_text(least, 6) + " (lower is better)";
}

/// Called before every step on every thread; only the calling thread reports progress.
bool Starts::goes_on(int thread) {
  if (options_.time_budget_s > 0 && clocks_.seconds() > options_.time_budget_s)
    is_out_of_time_ = true;
  if (thread == 0 && progress_ && !is_stopped_ &&
      !progress_(words_of_best(), static_cast<double>(num_done_) / options_.starts))
    is_stopped_ = true;
  const bool has_failed = task_.wave != nullptr && task_.wave->has_failed();
  return !is_stopped_ && !is_out_of_time_ && !has_failed;
}

void Starts::run_one(std::int64_t start, int thread) {
  if (!goes_on(thread) && start > 0)
    return;  // one start always runs, so that there is a result to report
  begun_[start] = 1;
  StartOptions options = of_each_;
  options.num_samples = search_samples(task_.shape);
  if (start == 0 && options_.from)
    options.coefficients = nearest_coefficients(*options_.from, task_.shape);
  options.seed = options_.seed * 1000003ULL + static_cast<std::uint64_t>(start);
  options.goes_on = [this, thread] { return goes_on(thread); };
  const double cpu_before = thread_cpu_seconds();
  results_[start] = search_from(task_, options);
  if (thread != 0) clocks_.cpu_of_helpers += thread_cpu_seconds() - cpu_before;
  ++num_done_;
  if (!results_[start].feasible) return;
  const double found = results_[start].objective;
  for (double least = least_; found < least && !least_.compare_exchange_weak(least, found);) {
  }
}

}  // namespace heft::excite
