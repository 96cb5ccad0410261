// Steps that change what a row counts: by the residuals of an answer, so that each takes passes of its own.
#include "search.hpp"

namespace heft::select {

namespace {

// Weights and covariance come from the residuals of all training rows, so that folds flatter them: they must gain more.
constexpr double kStandardErrors = 2;

}  // namespace

Result<Done> Search::weigh_by_residuals() {
  const auto offer = [this](const char* option, auto&& change) -> Result<Done> {
    Configuration configuration = standing_.configuration;
    change(configuration.estimation);
    const int num_rounds = configuration.estimation.reweighting_rounds;
    configuration.estimation.reweighting_rounds = 1;  // enough to judge by; the answer takes them all
    HEFT_TRY(trial, try_pass(option, configuration));
    trial.configuration.estimation.reweighting_rounds = num_rounds;
    refuse(option, trial.gain, kStandardErrors);
    if (is_worth_it(trial.gain, kStandardErrors)) accept(std::move(trial));
    return Done{};
  };
  if (has_room() && options().loss == Loss::squares)
    HEFT_CHECK(offer("huber weights", [](EstimationOptions& estimation) { estimation.loss = Loss::huber; }));
  if (has_room() && options().channel_covariance == ChannelCovariance::diagonal)
    HEFT_CHECK(offer("covariance of channels", [](EstimationOptions& estimation) {
      estimation.channel_covariance = ChannelCovariance::full;
    }));
  return Done{};
}

}  // namespace heft::select
