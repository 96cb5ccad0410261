#include "judged_fault.hpp"

#include <cmath>
#include <cstdint>
#include <utility>

#include "base/parallel_tasks.hpp"

namespace heft {

namespace {

constexpr double kLeastGain = 3;          ///< nats on the training logs: below it is chance
constexpr double kOfTrainingAlone = 0.8;  ///< of the held-out error with the fault undone there,
                                          ///< too
constexpr double kInterval = 1.96 * 1.96 / 2;  ///< fall of the log-likelihood at the ends of a 95 %
                                               ///< interval

/// Residual without correction, on the rows that the fault keeps.
struct Before {
  Residuals training, held_out;  ///< the latter empty without such logs
};

Result<Before> before_of(const Profile& profile, const Fault& fault, const Explained& without) {
  const HypothesisInput& input = profile.input();
  HEFT_TRY(training, profile.residuals(input.training, fault, without));
  HEFT_TRY(held_out, profile.residuals(input.held_out, fault, without));
  return Before{std::move(training), std::move(held_out)};
}

/// Judges by the training logs alone, without the change of the predicted torque.
Result<Judged> compared_on_training(const Profile& profile, const Fault& fault,
                                    const Explained& without, const Explained& with,
                                    const Residuals& before) {
  const HypothesisInput& input = profile.input();
  HEFT_TRY(after, profile.residuals(input.training, fault, with));
  Gains gains{.training = log_ratios(input.training, before, after),
              .kappa_training = rows_worth_one(after)};
  const double change_of_prior =
      ((without.objective - without.data) - (with.objective - with.data)) /
      gains.kappa_training.mean();
  Hypothesis hypothesis{
      .id = fault.id(),
      .joint = fault.joint(),
      .subject = fault.subject(),
      .value = fault.value(with.size),
      .unit = fault.unit(),
      .gain_training = (gains.training / gains.kappa_training).sum() + change_of_prior};
  hypothesis.training_before = before.relative();
  hypothesis.training_after = after.relative();
  hypothesis.yaml = fault.yaml(with.size, input);
  return Judged{std::move(hypothesis), std::move(gains), std::move(after)};
}

/// Judges by the change of the predicted torque and, if available, by the held-out logs.
Result<Done> compare_further(const Profile& profile, const Fault& fault, const Explained& without,
                             const Explained& with, const Before& before_all, Judged& judged) {
  const Excerpt& held_out = profile.input().held_out;
  Hypothesis& hypothesis = judged.hypothesis;
  HEFT_TRY(change, profile.torque_change(fault, with, before_all.training, judged.left));
  hypothesis.torque_change = change;
  if (held_out.stretches.empty()) return Done{};
  const Residuals& before = before_all.held_out;
  HEFT_TRY(undone, profile.residuals(held_out, fault, with));
  judged.left = std::move(undone);
  const bool is_same_robot = with.plan == without.plan || !fault.changes_robot();
  if (is_same_robot) {
    Explained uncorrected = with;  // on the rows that the fault keeps
    uncorrected.size = 0;
    HEFT_TRY(as_it_is, fault.loses_rows() ? profile.residuals(held_out, fault, uncorrected)
                                          : profile.residuals_as_it_is(held_out, with));
    if (as_it_is.relative() < kOfTrainingAlone * judged.left.relative() &&
        as_it_is.relative() < before.relative()) {
      judged.left = std::move(as_it_is);
      hypothesis.is_of_training_alone = true;
      hypothesis.yaml.clear();
    }
  }
  judged.gains.held_out = log_ratios(held_out, before, judged.left);
  judged.gains.kappa_held_out = rows_worth_one(judged.left);
  hypothesis.gain_held_out = (judged.gains.held_out / judged.gains.kappa_held_out).sum();
  hypothesis.held_out_before = before.relative();
  hypothesis.held_out_after = judged.left.relative();
  return Done{};
}

}  // namespace

Result<Judged> compared(const Profile& profile, const Fault& fault, const Explained& without,
                        const Explained& with) {
  HEFT_TRY(before, before_of(profile, fault, without));
  HEFT_TRY(found, compared_on_training(profile, fault, without, with, before.training));
  HEFT_CHECK(compare_further(profile, fault, without, with, before, found));
  return found;
}

namespace {

/// `as_it_is`: residuals of all rows without correction.
Result<std::optional<Judged>> judged(const Profile& profile, const Fault& fault, SizeSearch& search,
                                     const Before& as_it_is) {
  const Explained &without = search.nothing_undone(), &with = search.best();
  if (with.size == 0 || search.is_at_end()) return std::optional<Judged>();
  std::optional<Before> of_rows_left;
  if (fault.loses_rows()) {
    HEFT_TRY(before, before_of(profile, fault, without));
    of_rows_left = std::move(before);
  }
  const Before& before = of_rows_left ? *of_rows_left : as_it_is;
  HEFT_TRY(found, compared_on_training(profile, fault, without, with, before.training));
  double gain = found.hypothesis.gain_training;
  if (const std::optional<double> control = fault.control_size(with.size);
      control && gain >= kLeastGain) {
    HEFT_TRY(of_control, search.explain(*control));
    HEFT_TRY(other, compared_on_training(profile, fault, without, of_control, before.training));
    gain -= std::max(0.0, other.hypothesis.gain_training);
  }
  if (!(gain >= kLeastGain)) return std::optional<Judged>();
  HEFT_CHECK(compare_further(profile, fault, without, with, before, found));
  const double half = std::sqrt(2 * kInterval * found.gains.kappa_training.mean() /
                                std::max(search.curvature(), 1e-300));
  const double ends[] = {fault.value(with.size - half), fault.value(with.size + half)};
  found.hypothesis.lower = std::min(ends[0], ends[1]);
  found.hypothesis.upper = std::max(ends[0], ends[1]);
  return std::optional<Judged>(std::move(found));
}

}  // namespace

Result<std::vector<std::optional<Judged>>> judged(const Profile& profile, const Faults& faults,
                                                  const std::vector<std::size_t>& chosen,
                                                  const std::vector<Promise>& promises,
                                                  const Explained& answer,
                                                  const Residuals& residuals) {
  std::vector<std::optional<Judged>> all(chosen.size());
  if (chosen.empty()) return all;
  HEFT_TRY(held_out, profile.residuals_as_it_is(profile.input().held_out, answer));
  const Before as_it_is{residuals, std::move(held_out)};
  const auto judge = [&](std::int64_t index, int) -> Result<Done> {
    const auto at = static_cast<std::size_t>(index);
    const Fault& fault = *faults[chosen[at]];
    SizeSearch search(profile, fault);
    HEFT_CHECK(search.run(answer, promises[chosen[at]].size));
    HEFT_TRY(found, judged(profile, fault, search, as_it_is));
    all[at] = std::move(found);
    return Done{};
  };
  const Workers& workers = profile.workers();
  HEFT_CHECK(parallel_tasks(std::ssize(chosen), workers.num_threads, workers.progress,
                            "testing faults of the log", judge));
  return all;
}

Result<std::optional<Judged>> judged_near(const Profile& profile, const Fault& fault, double guess,
                                          const Explained& answer) {
  SizeSearch search(profile, fault);
  HEFT_CHECK(search.run_near(answer, guess));
  HEFT_TRY(training, profile.residuals_as_it_is(profile.input().training, answer));
  HEFT_TRY(held_out, profile.residuals_as_it_is(profile.input().held_out, answer));
  return judged(profile, fault, search, {std::move(training), std::move(held_out)});
}

}  // namespace heft
