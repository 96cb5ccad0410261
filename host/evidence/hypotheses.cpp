#include "evidence/hypotheses.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "faults/fault.hpp"
#include "freer_bodies.hpp"
#include "further_scales.hpp"
#include "judged_fault.hpp"
#include "mended_findings.hpp"
#include "payload.hpp"
#include "score_scan.hpp"
#include "size_search.hpp"

namespace heft {

namespace {

constexpr double kWorthSearching = 2;  ///< nats that a derivative must promise
constexpr int kMostSearched = 8;       ///< of the most promising: one fault shows in several sizes
constexpr int kMostOfOneId = 3;        ///< that one id may take of them
constexpr double kLeastDoubted = 3;  ///< nats, on training and held-out logs: what is weaker is never doubted

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

/// Best first. The noise is taken to be what the best by its own noise leaves: that of worse ones is their fault, too.
std::vector<Hypothesis> best_first(std::vector<Judged> found) {
  const auto by_own_noise = [](const Judged& a, const Judged& b) {
    return a.hypothesis.least_gain() < b.hypothesis.least_gain();
  };
  std::vector<Hypothesis> hypotheses;
  if (found.empty()) return hypotheses;
  const Gains noise = std::max_element(found.begin(), found.end(), by_own_noise)->gains;
  std::stable_sort(found.begin(), found.end(), [&](const Judged& a, const Judged& b) {
    return a.gains.least_with(noise) > b.gains.least_with(noise);
  });
  for (Judged& one : found) hypotheses.push_back(std::move(one.hypothesis));
  return hypotheses;
}

}  // namespace

Result<std::vector<Hypothesis>> test_hypotheses(const HypothesisInput& input, Backend& backend,
                                                const Progress& progress) {
  if (input.training.stretches.empty()) return std::vector<Hypothesis>{};
  if (!input.findings.empty()) {
    HEFT_TRY(mended, mended_findings(input, backend));
    if (!mended.empty()) return mended;
  }
  const Profile profile(input, backend);
  const Faults faults = faults_of(input);
  Problem problem;
  HEFT_TRY(answer, profile.explain_as_it_is(problem));
  HEFT_TRY(residuals, profile.residuals_as_it_is(input.training, answer));
  const double correlation = std::max(1.0, rows_worth_one(residuals).maxCoeff());
  HEFT_TRY(promises, scan(profile, faults, answer, problem));
  const std::vector<std::size_t> chosen = worth_searching(faults, promises, kWorthSearching * correlation);
  std::vector<Judged> found;
  FreerBodies freer_bodies(profile);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    HEFT_CHECK(report_progress(progress, "looking for faults of the log",
                               static_cast<double>(i) / static_cast<double>(chosen.size())));
    const Fault& fault = *faults[chosen[i]];
    SizeSearch search(profile, fault);
    HEFT_CHECK(search.run(answer, promises[chosen[i]].size));
    HEFT_TRY(one, judged(profile, fault, search));
    if (!one) continue;
    if (one->hypothesis.least_gain() >= kLeastDoubted) {
      HEFT_TRY(surpassed, freer_bodies.surpassed_by(fault, *one));
      one->hypothesis.gain_over_freer_bodies = surpassed;
    }
    found.push_back(std::move(*one));
  }
  std::vector<Hypothesis> hypotheses = best_first(std::move(found));
  if (!hypotheses.empty() && hypotheses.front().id == "torque-scale" &&
      hypotheses.front().least_gain() >= kLeastDoubted && !hypotheses.front().is_of_training_alone) {
    HEFT_TRY(with_others, with_further_scales(input, hypotheses.front(), backend, progress));
    hypotheses.front() = std::move(with_others);
  }
  HEFT_TRY(payload, missing_payload(profile, answer, residuals));
  if (payload) hypotheses.push_back(std::move(*payload));
  return hypotheses;
}

}  // namespace heft
