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

/// What gains are made of, so that several hypotheses can be compared as if their noise were the same.
struct Gains {
  Eigen::ArrayXd training, kappa_training;  ///< log_ratios() and rows_worth_one() by channel
  Eigen::ArrayXd held_out, kappa_held_out;  ///< empty without held-out logs

  double least_with(const Gains& noise) const {
    const double of_training = (training / noise.kappa_training).sum();
    return held_out.size() == 0 ? of_training
                                : std::min(of_training, (held_out / noise.kappa_held_out).sum());
  }
};

struct Judged {
  Hypothesis hypothesis;
  Gains gains;
};

Result<std::optional<Judged>> judged(const Profile& profile, const Fault& fault, const SizeSearch& search) {
  const HypothesisInput& input = profile.input();
  const Explained &without = search.nothing_undone(), &with = search.best();
  if (with.size == 0 || search.is_at_end()) return std::optional<Judged>();
  HEFT_TRY(before, profile.residuals(input.training, fault, without));
  HEFT_TRY(after, profile.residuals(input.training, fault, with));
  Gains gains{.training = log_ratios(input.training, before, after), .kappa_training = rows_worth_one(after)};
  const double mean_kappa = std::max(1.0, gains.kappa_training.mean());
  const double change_of_prior =
      ((without.objective - without.data) - (with.objective - with.data)) / mean_kappa;
  Hypothesis hypothesis{.id = fault.id(),
                        .joint = fault.joint(),
                        .subject = fault.subject(),
                        .value = fault.value(with.size),
                        .unit = fault.unit(),
                        .gain_training = (gains.training / gains.kappa_training).sum() + change_of_prior};
  if (!(hypothesis.gain_training >= kLeastGain)) return std::optional<Judged>();
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
    gains.held_out = log_ratios(input.held_out, held_out_before, held_out_after);
    gains.kappa_held_out = rows_worth_one(held_out_after);
    hypothesis.gain_held_out = (gains.held_out / gains.kappa_held_out).sum();
    hypothesis.held_out_before = held_out_before.relative();
    hypothesis.held_out_after = held_out_after.relative();
  }
  return std::optional<Judged>(Judged{std::move(hypothesis), std::move(gains)});
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
  const Profile profile(input, backend);
  const Faults faults = faults_of(input);
  Problem problem;
  HEFT_TRY(answer, profile.explain_as_it_is(problem));
  HEFT_TRY(residuals, profile.residuals_as_it_is(input.training, answer));
  const double correlation = std::max(1.0, rows_worth_one(residuals).maxCoeff());
  HEFT_TRY(promises, scan(profile, faults, answer, problem));
  const std::vector<std::size_t> chosen = worth_searching(faults, promises, kWorthSearching * correlation);
  std::vector<Judged> found;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    HEFT_CHECK(report_progress(progress, "looking for faults of the log",
                               static_cast<double>(i) / static_cast<double>(chosen.size())));
    const Fault& fault = *faults[chosen[i]];
    SizeSearch search(profile, fault);
    HEFT_CHECK(search.run(answer, promises[chosen[i]].size));
    HEFT_TRY(one, judged(profile, fault, search));
    if (one) found.push_back(std::move(*one));
  }
  return best_first(std::move(found));
}

}  // namespace heft
