#include "evidence/torque_factor.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "evidence/doubt_bounds.hpp"
#include "heft/executor/executor.hpp"
#include "judged_fault.hpp"

namespace heft {

Result<std::optional<Hypothesis>> torque_factor_near(const HypothesisInput& input,
                                                     const std::string& joint, double factor,
                                                     int num_threads, const Progress& progress) {
  if (input.training.stretches.empty()) return std::optional<Hypothesis>();
  HEFT_TRY(backend, make_backend({.kind = BackendKind::cpu, .threads = 1}));
  const Workers workers{*backend, num_threads, progress};
  const Profile profile(input, workers);
  Faults scales;
  torque_scales(input, scales);
  const auto scale = std::find_if(scales.begin(), scales.end(),
                                  [&](const auto& one) { return one->joint() == joint; });
  if (scale == scales.end()) return std::optional<Hypothesis>();
  HEFT_TRY(answer, profile.explain_as_it_is());
  HEFT_TRY(found, judged_near(profile, **scale, std::log(factor), answer));
  if (!found || !(found->hypothesis.least_gain() >= doubt_bounds::kLeastGain))
    return std::optional<Hypothesis>();
  return std::optional<Hypothesis>(std::move(found->hypothesis));
}

}  // namespace heft
