// Solves many payloads on a device: all convex problems at once, in rounds, until none is open.
#include <algorithm>
#include <functional>
#include <optional>
#include <span>

#include "base/parallel_for.hpp"
#include "heft/executor/executor.hpp"
#include "heft/payload/payload.hpp"
#include "linalg/factorizations.hpp"
#include "methods/automatic.hpp"
#include "methods/plain_problem.hpp"

namespace heft {

namespace {

using namespace payload;

constexpr std::size_t kShare = 4096;  // payloads whose problems are in memory at a time
constexpr double kGap = 1e-10;  // limit of the device; problems that stop earlier are solved here

/// A share of the tasks, each with its result.
class Rounds {
 public:
  Rounds(std::span<const PayloadTask> tasks, std::span<PayloadAnswer> answers,
         std::vector<AutomaticFitter>& fitters)
      : tasks_(tasks), answers_(answers), fitters_(fitters), fits_(tasks.size()) {}

  void begin() {
    each(tasks_.size(), [&](std::size_t k, AutomaticFitter& fitter) {
      auto fit = fitter.begin(*tasks_[k].samples, *tasks_[k].shape);
      if (fit)
        fits_[k] = *std::move(fit);
      else
        answers_[k].failure = fit.error().message();
    });
  }

  /// False if no problem was open.
  Result<bool> next(Executor& executor, const Progress& progress) {
    std::vector<std::size_t> open;
    for (std::size_t k = 0; k < fits_.size(); ++k)
      if (fits_[k] && !fits_[k]->is_done()) open.push_back(k);
    if (open.empty()) return false;
    std::vector<Problem> problems(open.size());
    each(open.size(), [&](std::size_t i, AutomaticFitter&) {
      const ShapeFit& fit = *fits_[open[i]];
      if (auto problem = plain_problem(fit.sums(), fit.reference(), fit.problem()))
        problems[i] = *std::move(problem);  // otherwise it has no variables and is not an optimum
    });
    HEFT_TRY(solutions, executor.solve("payloads", problems, {.gap_tolerance = kGap}, progress));
    each(open.size(),
         [&](std::size_t i, AutomaticFitter& fitter) { take(open[i], solutions[i], fitter); });
    return true;
  }

  void finish() {
    for (std::size_t k = 0; k < fits_.size(); ++k)
      if (fits_[k]) put(fits_[k]->found().answer, answers_[k]);
  }

 private:
  void each(std::size_t count, const std::function<void(std::size_t, AutomaticFitter&)>& work) {
    parallel_for(static_cast<std::int64_t>(count), static_cast<int>(fitters_.size()),
                 [&](std::int64_t k, int thread) {
                   work(static_cast<std::size_t>(k), fitters_[static_cast<std::size_t>(thread)]);
                 });
  }

  void take(std::size_t k, const Solution& solution, AutomaticFitter& fitter) {
    ShapeFit& fit = *fits_[k];
    auto answer = answer_of_plain(solution, fit.sums(), fit.reference(), fit.problem());
    if (!answer) {
      auto solved = solve_convex(fit.sums(), fit.reference(), fit.problem());
      if (!solved) {
        answers_[k].failure = solved.error().message();
        fits_[k].reset();
        return;
      }
      answer = *std::move(solved);
    }
    fit.take(*std::move(answer), [&] { return fitter.autocorrelation_of(*tasks_[k].samples); });
  }

  std::span<const PayloadTask> tasks_;
  std::span<PayloadAnswer> answers_;
  std::vector<AutomaticFitter>& fitters_;
  std::vector<std::optional<ShapeFit>> fits_;
};

}  // namespace

Result<std::vector<PayloadAnswer>> weigh_batch(const std::vector<PayloadTask>& tasks,
                                               const PayloadOptions& options, Executor& executor,
                                               int num_threads, const Progress& progress) {
  if (!executor.has_device()) return weigh_batch(tasks, options, num_threads, progress);
  HEFT_CHECK(check_batch(tasks, num_threads));
  std::vector<PayloadAnswer> answers(tasks.size());
  std::vector<AutomaticFitter> fitters(static_cast<std::size_t>(num_threads),
                                       AutomaticFitter(options));
  for (std::size_t begin = 0; begin < tasks.size(); begin += kShare) {
    HEFT_CHECK(report_progress(progress, "weighing",
                               static_cast<double>(begin) / static_cast<double>(tasks.size())));
    const std::size_t size = std::min(kShare, tasks.size() - begin);
    Rounds rounds({tasks.data() + begin, size}, {answers.data() + begin, size}, fitters);
    rounds.begin();
    for (bool is_open = true; is_open;) {
      HEFT_TRY(more, rounds.next(executor, progress));
      is_open = more;
    }
    rounds.finish();
  }
  return answers;
}

}  // namespace heft
