#include "heft/select/select_model.hpp"

#include "search.hpp"

namespace heft {

Result<Selection> select_model(const IdentifyRequest& request, const ModelOptions& options,
                               const SelectionOptions& selection) {
  HEFT_TRY(executor, executor_of(request));
  IdentifyRequest own = request;
  own.executor = std::move(executor);
  select::Search search(std::move(own), options, selection);
  HEFT_CHECK(search.start());
  if (!search.is_long_enough()) return search.finish();
  HEFT_CHECK(search.add_columns());
  const int num_steps = search.num_steps();
  HEFT_CHECK(search.choose_rows());
  HEFT_CHECK(search.filter_rows());
  HEFT_CHECK(search.move_cutoff());
  const int before_delay = search.num_steps();
  HEFT_CHECK(search.move_delay());
  const bool has_delay = search.num_steps() > before_delay;
  // on other samples other columns may be worth it
  if (search.num_steps() > num_steps) HEFT_CHECK(search.add_columns());
  // columns that stood for a part of the delay may be gone
  if (has_delay) {
    const int before = search.num_steps();
    HEFT_CHECK(search.move_delay());
    if (search.num_steps() > before) HEFT_CHECK(search.add_columns());
  }
  HEFT_CHECK(search.weigh_by_residuals());
  HEFT_CHECK(search.move_weight_of_prior());
  return search.finish();
}

Result<IdentifyRequest> with_choice(const IdentifyRequest& request, const ModelChoice& choice) {
  IdentifyRequest chosen = request;
  HEFT_TRY(setup, with_model(request.setup, choice.model));
  chosen.setup = std::move(setup);
  chosen.setup.prior.weight = choice.weight_of_prior;
  chosen.estimation.chooses_weight_of_prior = false;
  chosen.gathering.conditioning = choice.conditioning;
  chosen.gathering.weighting = choice.weighting;
  return chosen;
}

}  // namespace heft
