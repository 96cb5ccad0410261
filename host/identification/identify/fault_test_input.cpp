#include "fault_test_input.hpp"

#include <algorithm>
#include <utility>

namespace heft {

namespace {

constexpr double kHeaviestPrior = 1e-2;  ///< below which a fault is searched for

/// 1 / s_c^2 of the answer's errors on the training logs.
Eigen::VectorXd weights_of(const Estimate& answer) {
  Eigen::VectorXd weights(std::ssize(answer.training.channels));
  for (std::size_t c = 0; c < answer.training.channels.size(); ++c) {
    const double rms = answer.training.channels[c].rms_error;
    weights[static_cast<Eigen::Index>(c)] = rms > 0 ? 1 / (rms * rms) : 0;
  }
  return weights;
}

/// A heavy prior that holds bodies at wrong values causes spurious faults.
Setup to_ask(Setup setup) {
  setup.prior.weight = std::min(setup.prior.weight, kHeaviestPrior);
  return setup;
}

}  // namespace

FaultTestInput::FaultTestInput(const IdentifyRequest& request, const Identification& result,
                               Excerpt training, Excerpt held_out)
    : request_(request),
      result_(result),
      setup_(to_ask(result.setup)),
      weights_(weights_of(result.answer())),
      training_(std::move(training)),
      held_out_(std::move(held_out)) {}

HypothesisInput FaultTestInput::input(bool leaves_more_than_noise,
                                      std::vector<Finding> findings) const {
  return {setup_,
          weights_,
          request_.estimation.solve,
          training_,
          held_out_,
          request_.gathering.log,
          request_.gathering.conditioning,
          leaves_more_than_noise,
          std::move(findings)};
}

}  // namespace heft
