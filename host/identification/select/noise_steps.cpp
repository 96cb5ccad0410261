// Steps that change the weights of rows. Weights depend on residuals, so each trial takes its own
// passes.
#include "rows/row_kind.hpp"
#include "search.hpp"

namespace heft::select {

namespace {

// Weights and covariance come from the residuals of all training rows, so folds are biased in their
// favor: require a larger gain.
constexpr double kStandardErrors = 2;

}  // namespace

Result<Done> Search::weigh_by_residuals() {
  const auto offer = [this](const char* option, auto&& change) -> Result<Done> {
    ModelChoice choice = standing_.choice;
    change(choice.weighting);
    const int num_rounds = choice.weighting.rounds;
    choice.weighting.rounds = 1;  // enough for a decision; the result uses all of them
    HEFT_TRY(trial, try_pass(option, choice));
    trial.choice.weighting.rounds = num_rounds;
    refuse(option, trial.gain, kStandardErrors);
    if (is_worth_it(trial.gain, kStandardErrors)) accept(std::move(trial));
    return Done{};
  };
  const RowWeightingOptions& start = request_.gathering.weighting;
  if (has_room() && start.loss == Loss::squares)
    HEFT_CHECK(offer("huber weights",
                     [](RowWeightingOptions& weighting) { weighting.loss = Loss::huber; }));
  const RowKind* const rows = find_row_kind(standing_.choice.conditioning.rows);
  if (has_room() && start.channel_covariance == ChannelCovariance::diagonal &&
      !rows->mixes_channels)
    HEFT_CHECK(offer("covariance of channels", [](RowWeightingOptions& weighting) {
      weighting.channel_covariance = ChannelCovariance::full;
    }));
  return Done{};
}

}  // namespace heft::select
