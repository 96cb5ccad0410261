#include "evidence/mistaken_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/parallel_tasks.hpp"
#include "found_fault.hpp"
#include "heft/executor/executor.hpp"
#include "profile.hpp"
#include "refit_residuals.hpp"

namespace heft {

namespace {

constexpr double kGainAsked = 8;       ///< nats, on training and held-out logs
constexpr double kFallAsked = 0.7;     ///< log of the factor by which what is left falls, over all
                                       ///< joints
constexpr double kNearlyAsMuch = 0.9;  ///< of that, by another mistake: the cause is then ambiguous

struct Weighed {
  Better training, held_out;
  bool held_out_too = false;

  double least_gain(bool has_held_out) const {
    return has_held_out ? std::min(training.gain, held_out.gain) : training.gain;
  }
  double least_fall(bool has_held_out) const {
    return has_held_out ? std::min(training.fall, held_out.fall) : training.fall;
  }
};

Result<Weighed> weighed(const HypothesisInput& input, const Workers& workers, const Left& as_it_is,
                        const Finding& finding) {
  const FoundFault fault(finding);
  const Excerpt training = undone(input.training, fault, 1),
                held_out = undone(input.held_out, fault, 1);
  const HypothesisInput corrected = input.on(training, held_out);
  Explained answer;
  HEFT_TRY(left, explained_again(corrected, workers, answer));
  Weighed found{.training = better(training, as_it_is.training, left.training),
                .held_out = better(held_out, as_it_is.held_out, left.held_out),
                .held_out_too = true};
  // the held-out logs may be sound
  const Profile profile(corrected, workers);
  HEFT_TRY(sound, profile.residuals_as_it_is(input.held_out, answer));
  if (const Better by_sound = better(input.held_out, as_it_is.held_out, sound);
      by_sound.gain > found.held_out.gain) {
    found.held_out = by_sound;
    found.held_out_too = false;
  }
  return found;
}

}  // namespace

Result<std::optional<MistakenColumns>> mistaken_columns(const HypothesisInput& input,
                                                        const std::vector<Finding>& possible,
                                                        int num_threads, const Progress& progress) {
  std::optional<MistakenColumns> none;
  if (possible.empty() || input.training.stretches.empty()) return none;
  HEFT_TRY(backend, make_backend({.kind = BackendKind::cpu, .threads = 1}));
  const Workers workers{*backend, num_threads, progress};
  Explained answer;
  HEFT_TRY(as_it_is, explained_again(input, workers, answer));
  std::vector<Weighed> all(possible.size());
  const auto weigh = [&](std::int64_t index, int) -> Result<Done> {
    const auto at = static_cast<std::size_t>(index);
    HEFT_TRY(found, weighed(input, workers, as_it_is, possible[at]));
    all[at] = found;
    return Done{};
  };
  HEFT_CHECK(parallel_tasks(std::ssize(all), num_threads, progress,
                            "testing signs and order of columns", weigh));
  const bool has_held_out = !input.held_out.stretches.empty();
  const auto fall = [&](const Weighed& one) { return one.least_fall(has_held_out); };
  const auto best =
      std::max_element(all.begin(), all.end(),
                       [&](const Weighed& a, const Weighed& b) { return fall(a) < fall(b); });
  if (!(fall(*best) >= kFallAsked) || !(best->least_gain(has_held_out) >= kGainAsked)) return none;
  const auto at = static_cast<std::size_t>(best - all.begin());
  // negating a joint's torque or its position both correct it
  const auto is_alike = [&](const Finding& other) {
    return !other.joint.empty() && other.joint == possible[at].joint;
  };
  for (std::size_t k = 0; k < all.size(); ++k)
    if (k != at && !is_alike(possible[k]) && fall(all[k]) > kNearlyAsMuch * fall(*best))
      return none;
  MistakenColumns found{possible[at], best->held_out_too};
  found.finding.what = fmt::format(
      "with this corrected and the bodies estimated again, the residual falls "
      "by a factor of {:.2g} over all joints",
      std::exp(fall(*best)));
  found.finding.measure = std::exp(fall(*best));
  return std::optional<MistakenColumns>(std::move(found));
}

}  // namespace heft
