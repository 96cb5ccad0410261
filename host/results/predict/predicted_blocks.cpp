#include "predict/predicted_blocks.hpp"

#include "config/nominal_voltage.hpp"
#include "heft/executor/executor.hpp"
#include "rows/filtered_prediction.hpp"
#include "setup/match_clocks.hpp"

namespace heft {

Result<LogSummary> predict_blocks(const Model& model, Configuration configuration,
                                  const Eigen::VectorXd& parameters, const Log& log,
                                  const PredictedSink& sink, const Progress& progress) {
  configuration.conditioning.rows = "torque";
  const RegressorPlan& plan = *model.plan;
  HEFT_TRY(backend, make_backend(configuration.backend));
  double fraction = 0;
  const auto on_block = [&](int, const Samples& block) -> Result<Done> {
    HEFT_CHECK(report_progress(progress, "predicting torques", fraction));
    const PredictJob job{&plan, &block, &parameters};
    Eigen::ArrayXXd predicted;
    HEFT_CHECK(predict_as_measured(*backend, {&job, 1}, {&predicted, 1}));
    return sink(block, predicted);
  };
  HEFT_TRY(matched, match_clocks({log}, plan.robot, plan.channels, configuration.log,
                                 configuration.conditioning));
  HEFT_TRY(logs, config::at_nominal_voltage(configuration, plan.robot, plan.channels,
                                            std::move(matched.logs)));
  const DerivedSignals derived = model.derived_of(log.name());
  return condition_log(
      logs.front(),
      {plan.robot, plan.channels, configuration.log, configuration.conditioning, derived}, on_block,
      [&](double read) { fraction = read; });
}

}  // namespace heft
