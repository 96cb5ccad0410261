#include "evidence/hypotheses.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>

#include "base/parallel_tasks.hpp"
#include "corrected_findings.hpp"
#include "evidence/doubt_bounds.hpp"
#include "faults/fault.hpp"
#include "further_scales.hpp"
#include "heft/executor/executor.hpp"
#include "judged_fault.hpp"
#include "payload.hpp"
#include "score_scan.hpp"
#include "weaker_prior.hpp"

namespace heft {

namespace {

constexpr double kWorthSearching = 2;  ///< nats that a derivative must promise
constexpr int kMaxSearched = 8;        ///< of the most promising: one fault affects several sizes
constexpr int kMaxOfOneId = 3;         ///< that one id may take of them

/// Candidates with sufficient expected gain, largest first.
std::vector<std::size_t> worth_searching(const Faults& faults, const std::vector<Promise>& promises,
                                         double least) {
  std::vector<std::size_t> order(faults.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return promises[a].fall > promises[b].fall;
  });
  std::vector<std::size_t> chosen;
  std::map<std::string, int> by_id;
  for (const std::size_t k : order) {
    if (!(promises[k].fall > least) || std::ssize(chosen) == kMaxSearched) break;
    if (++by_id[faults[k]->id()] <= kMaxOfOneId) chosen.push_back(k);
  }
  return chosen;
}

/// Keeps those of `chosen` that could matter. If the logs are explained well, derivatives predict
/// the effect of a correction: a small fault without effect on errors and torques would never
/// become a doubt and needs no search of its size. The bounds are a quarter of those of doubts
/// (host/results/report/doubts).
Result<std::vector<std::size_t>> that_could_matter(const Profile& profile, const Faults& faults,
                                                   const std::vector<std::size_t>& chosen,
                                                   const Scan& scan, double error) {
  constexpr double kExplainedWell = 0.05, kOfDoubts = 0.25;
  constexpr double kChange = kOfDoubts * doubt_bounds::kLeastChange,
                   kErrorRatio = 1 + kOfDoubts * (doubt_bounds::kErrorRatio - 1),
                   kErrorFall = kOfDoubts * doubt_bounds::kErrorFall;
  if (!(error < kExplainedWell)) return chosen;
  std::vector<char> matters(chosen.size(), 1);
  const auto judge = [&](std::int64_t index, int) -> Result<Done> {
    const auto at = static_cast<std::size_t>(index);
    const Fault& fault = *faults[chosen[at]];
    const Promise& promise = scan.promises[chosen[at]];
    if (fault.is_large(promise.size)) return Done{};
    HEFT_TRY(view, outlook(profile, faults, chosen[at], scan));
    const bool shows = view.error_before > kErrorRatio * view.error_after &&
                       view.error_before > view.error_after + kErrorFall;
    // not a number: unknown
    matters[at] = shows || !(view.torque_change < kChange);
    return Done{};
  };
  const Workers& workers = profile.workers();
  HEFT_CHECK(parallel_tasks(std::ssize(chosen), workers.num_threads, workers.progress,
                            "ranking faults", judge));
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    if (matters[i]) left.push_back(chosen[i]);
  return left;
}

/// Residual of the best candidate with its own noise: larger residuals of other candidates count
/// against them.
const Gains& noise_of(const std::vector<Judged>& found) {
  return std::max_element(found.begin(), found.end(),
                          [](const Judged& a, const Judged& b) {
                            return a.hypothesis.least_gain() < b.hypothesis.least_gain();
                          })
      ->gains;
}

/// Rotating a joint's axis about the preceding one is equivalent to that joint's zero, except for
/// the body between them. Prefers the zero if it explains about as much: differences of a tenth are
/// insignificant, wrong zeros are more common, and an option corrects them.
void put_zero_before_axis(std::vector<Judged>& best_first, const Gains& noise) {
  constexpr double kAboutAsMuch = 0.9;
  const Judged& best = best_first.front();
  if (best.hypothesis.id != "kinematics" || best.hypothesis.unit != "rad") return;
  const double enough = kAboutAsMuch * best.gains.least_with(noise);
  const auto zero = std::find_if(best_first.begin(), best_first.end(), [&](const Judged& one) {
    return one.hypothesis.id == "joint-zero" && one.gains.least_with(noise) >= enough;
  });
  if (zero != best_first.end()) std::rotate(best_first.begin(), zero, zero + 1);
}

/// Compares gains with the same noise.
std::vector<Hypothesis> best_first(std::vector<Judged> found, const Gains& noise) {
  std::stable_sort(found.begin(), found.end(), [&](const Judged& a, const Judged& b) {
    return a.gains.least_with(noise) > b.gains.least_with(noise);
  });
  put_zero_before_axis(found, noise);
  std::vector<Hypothesis> hypotheses;
  for (Judged& one : found) hypotheses.push_back(std::move(one.hypothesis));
  return hypotheses;
}

}  // namespace

Result<std::vector<Hypothesis>> test_hypotheses(const HypothesisInput& input, int num_threads,
                                                const Progress& progress) {
  if (input.training.stretches.empty()) return std::vector<Hypothesis>{};
  HEFT_TRY(backend, make_backend({.kind = BackendKind::cpu, .threads = 1}));
  const Workers workers{*backend, num_threads, progress};
  if (!input.findings.empty()) {
    HEFT_TRY(corrected, corrected_findings(input, workers));
    if (!corrected.empty()) return corrected;
  }
  const Profile profile(input, workers);
  const Faults faults = faults_of(input);
  HEFT_TRY(scanned, scan(profile, faults));
  const std::vector<Promise>& promises = scanned.promises;
  const double largest_kappa = rows_worth_one(scanned.residuals).maxCoeff();
  HEFT_TRY(chosen,
           that_could_matter(profile, faults,
                             worth_searching(faults, promises, kWorthSearching * largest_kappa),
                             scanned, scanned.residuals.relative()));
  // sum the whole excerpt only if the few samples of the scan do not show that the logs are sound
  if (chosen.empty() && !has_laden_end(input, scanned.answer.parameters))
    return std::vector<Hypothesis>{};
  HEFT_TRY(answer, profile.explain_as_it_is());
  HEFT_TRY(residuals, profile.residuals_as_it_is(input.training, answer));
  HEFT_TRY(judgments, judged(profile, faults, chosen, promises, answer, residuals));
  std::vector<Judged> found;
  std::vector<const Fault*> found_faults;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    if (judgments[i]) {
      found.push_back(std::move(*judgments[i]));
      found_faults.push_back(faults[chosen[i]].get());
    }
  std::vector<Hypothesis> hypotheses;
  if (!found.empty()) {
    const Gains noise = noise_of(found);
    WeakerPrior weaker_prior(profile);
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i].hypothesis.least_gain() >= doubt_bounds::kLeastGain) {
        HEFT_TRY(surpassed, weaker_prior.surpassed_by(*found_faults[i], found[i], noise));
        found[i].hypothesis.gain_over_freer_bodies = surpassed;
      }
    hypotheses = best_first(std::move(found), noise);
  }
  if (!hypotheses.empty() && hypotheses.front().id == "torque-scale" &&
      hypotheses.front().least_gain() >= doubt_bounds::kLeastGain &&
      !hypotheses.front().is_of_training_alone) {
    HEFT_TRY(with_others, with_further_scales(profile, hypotheses.front()));
    hypotheses.front() = std::move(with_others);
  }
  HEFT_TRY(payload, missing_payload(profile, answer, residuals));
  if (payload) hypotheses.push_back(std::move(*payload));
  return hypotheses;
}

}  // namespace heft
