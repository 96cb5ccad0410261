#include "evidence/hypotheses.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "faults/fault.hpp"
#include "score_scan.hpp"
#include "size_search.hpp"

namespace heft {

namespace {

constexpr double kWorthSearching = 2;          ///< nats that a derivative must promise
constexpr int kMostSearched = 8;               ///< of the most promising: one fault shows in several sizes
constexpr int kMostOfOneId = 3;                ///< that one id may take of them
constexpr double kLeastGain = 3;               ///< nats on the training logs: below it is chance
constexpr double kInterval = 1.96 * 1.96 / 2;  ///< fall of the log-likelihood at the ends of a 95 % interval

/// The most promising first; none that promises too little.
std::vector<std::size_t> worth_searching(const Faults& faults, const std::vector<Promise>& promises,
                                         double least) {
  std::vector<std::size_t> order(faults.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return promises[a].fall > promises[b].fall; });
  std::vector<std::size_t> chosen;
  std::map<std::string, int> by_id;
  for (const std::size_t k : order) {
    if (!(promises[k].fall > least) || std::ssize(chosen) == kMostSearched) break;
    if (++by_id[faults[k]->id()] <= kMostOfOneId) chosen.push_back(k);
  }
  return chosen;
}

Result<std::optional<Hypothesis>> judged(const Profile& profile, const Fault& fault,
                                         const SizeSearch& search) {
  const HypothesisInput& input = profile.input();
  const Explained &without = search.nothing_undone(), &with = search.best();
  if (with.size == 0 || search.is_at_end()) return std::optional<Hypothesis>();
  HEFT_TRY(before, profile.residuals(input.training, fault, without));
  HEFT_TRY(after, profile.residuals(input.training, fault, with));
  const Eigen::ArrayXd kappa = rows_worth_one(after);
  const double mean_kappa = std::max(1.0, kappa.mean());
  const double change_of_prior =
      ((without.objective - without.data) - (with.objective - with.data)) / mean_kappa;
  Hypothesis hypothesis{.id = fault.id(),
                        .joint = fault.joint(),
                        .subject = fault.subject(),
                        .value = fault.value(with.size),
                        .unit = fault.unit(),
                        .gain_training = gain_of(input.training, before, after, kappa) + change_of_prior};
  if (!(hypothesis.gain_training >= kLeastGain)) return std::optional<Hypothesis>();
  const double half = std::sqrt(2 * kInterval * mean_kappa / std::max(search.curvature(), 1e-300));
  const double ends[] = {fault.value(with.size - half), fault.value(with.size + half)};
  hypothesis.lower = std::min(ends[0], ends[1]);
  hypothesis.upper = std::max(ends[0], ends[1]);
  HEFT_TRY(change, profile.torque_change(fault, without, with));
  hypothesis.torque_change = change;
  hypothesis.training_before = before.relative();
  hypothesis.training_after = after.relative();
  hypothesis.yaml = fault.yaml(with.size, input);
  if (!input.held_out.stretches.empty()) {
    HEFT_TRY(held_out_before, profile.residuals(input.held_out, fault, without));
    HEFT_TRY(held_out_after, profile.residuals(input.held_out, fault, with));
    hypothesis.gain_held_out =
        gain_of(input.held_out, held_out_before, held_out_after, rows_worth_one(held_out_after));
    hypothesis.held_out_before = held_out_before.relative();
    hypothesis.held_out_after = held_out_after.relative();
  }
  return std::optional<Hypothesis>(std::move(hypothesis));
}

}  // namespace

Result<std::vector<Hypothesis>> test_hypotheses(const HypothesisInput& input, Backend& backend,
                                                const Progress& progress) {
  std::vector<Hypothesis> hypotheses;
  if (input.training.stretches.empty()) return hypotheses;
  const Profile profile(input, backend);
  const Faults faults = faults_of(input);
  Problem problem;
  HEFT_TRY(answer, profile.explain_as_it_is(problem));
  HEFT_TRY(residuals, profile.residuals_as_it_is(input.training, answer));
  const double correlation = std::max(1.0, rows_worth_one(residuals).maxCoeff());
  HEFT_TRY(promises, scan(profile, faults, answer, problem));
  const std::vector<std::size_t> chosen = worth_searching(faults, promises, kWorthSearching * correlation);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    HEFT_CHECK(report_progress(progress, "looking for faults of the log",
                               static_cast<double>(i) / static_cast<double>(chosen.size())));
    const Fault& fault = *faults[chosen[i]];
    SizeSearch search(profile, fault);
    HEFT_CHECK(search.run(answer, promises[chosen[i]].size));
    HEFT_TRY(hypothesis, judged(profile, fault, search));
    if (hypothesis) hypotheses.push_back(std::move(*hypothesis));
  }
  std::sort(hypotheses.begin(), hypotheses.end(),
            [](const Hypothesis& a, const Hypothesis& b) { return a.least_gain() > b.least_gain(); });
  return hypotheses;
}

}  // namespace heft
