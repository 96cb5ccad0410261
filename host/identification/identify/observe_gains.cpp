#include "identify/observe_gains.hpp"

#include <algorithm>

#include "heft/executor/executor.hpp"
#include "heft/setup/setup.hpp"
#include "identify/gains.hpp"
#include "linalg/seen_directions.hpp"
#include "random_motion.hpp"

namespace heft {

namespace {

constexpr double kUnseenCut = 1e-14;             ///< of eigenvalues
const Eigen::Vector3d kPlace(0.05, 0.03, 0.08);  ///< of a load's center of mass in its link [m]

Samples random_states(const Robot& robot, int num_channels, int num_signals) {
  Samples samples = random_motion(robot);
  samples.torque.setZero(samples.size(), num_channels);
  samples.weight.setOnes(samples.size(), num_channels);
  samples.signal.setZero(samples.size(), num_signals);
  return samples;
}

/// Sets the signals of gains: the loads of a log.
void put_loads(const RegressorPlan& plan, const Eigen::ArrayXXd& load, Samples& samples) {
  for (const Column& column : plan.layout.columns)
    if (column.effect == ColumnEffect::gain)
      samples.signal.col(column.terms.front().source) = load.col(column.terms.front().channel);
}

/// Normal equations of a log without a load and one with a load on a link.
Result<Eigen::MatrixXd> information(const Model& model, const std::string& loaded,
                                    Backend& backend) {
  const RegressorPlan& plan = *model.plan;
  Samples samples = random_states(plan.robot, plan.num_channels(), plan.num_signals);
  MomentAccumulator sum(model.plan, backend);
  for (const std::string& log : {std::string("empty"), loaded}) {
    if (log.empty()) continue;
    HEFT_TRY(load, model.derived_of(log).load(samples));
    put_loads(plan, load, samples);
    HEFT_CHECK(sum.push(log == loaded ? 1 : 0, samples));
  }
  HEFT_TRY(moments, sum.finish());
  return normal_equations(moments, Eigen::VectorXd::Ones(plan.num_channels())).G;
}

/// Whether the ratio of two gains is determined: no undetermined direction moves only one of them.
bool is_ratio_determined(const Eigen::MatrixXd& unseen, Eigen::Index a, Eigen::Index b) {
  constexpr double kSmall = 1e-6;
  const double size = unseen.row(a).norm() + unseen.row(b).norm();
  return (unseen.row(a) - unseen.row(b)).norm() <= kSmall * std::max(size, 1e-9);
}

}  // namespace

Result<std::vector<ObservableGain>> observe_gains(const Robot& robot) {
  ModelOptions options;
  options.columns.push_back({.kind = "gain", .sd = 1});
  const ParameterLayout bodies = make_parameter_layout(robot, {});
  for (int b = 0; b < bodies.num_bodies(); ++b)
    if (!robot.bodies[static_cast<std::size_t>(bodies.body_index[static_cast<std::size_t>(b)])]
             .is_rotor)
      options.payloads.push_back({.logs = {"load on " + bodies.bodies[static_cast<std::size_t>(b)]},
                                  .link = bodies.bodies[static_cast<std::size_t>(b)],
                                  .mass = 1,
                                  .com = kPlace});
  HEFT_TRY(model, make_model(robot, options));
  HEFT_TRY(backend, make_backend({.kind = BackendKind::cpu, .threads = 1}));
  const ParameterLayout& layout = model.plan->layout;
  const std::vector<bool> held(static_cast<std::size_t>(layout.num_bodies()), false);

  HEFT_TRY(alone, information(model, "", *backend));
  const SeenDirections seen = seen_directions(alone, kUnseenCut);
  std::vector<ObservableGain> gains;
  std::vector<int> columns;
  for (int k = 0; k < layout.num_columns(); ++k) {
    const Column& column = layout.columns[static_cast<std::size_t>(k)];
    if (column.effect != ColumnEffect::gain) continue;
    columns.push_back(k);
    gains.push_back({.joint = column.joints.front(),
                     .alone = !seen.open[static_cast<std::size_t>(layout.column_index(k))]});
  }
  for (std::size_t i = 0; i < gains.size(); ++i)
    for (std::size_t j = 0; j < gains.size(); ++j)
      if (i != j && is_ratio_determined(seen.unseen, layout.column_index(columns[i]),
                                        layout.column_index(columns[j])))
        gains[i].ratio_to.push_back(gains[j].joint);
  for (const KnownPayload& payload : options.payloads) {
    HEFT_TRY(with_load, information(model, payload.logs.front(), *backend));
    const std::vector<bool> determined = determined_columns(layout, with_load, held, false);
    for (std::size_t i = 0; i < gains.size(); ++i)
      if (determined[static_cast<std::size_t>(columns[i])])
        gains[i].with_load_on.push_back(payload.link);
  }
  return gains;
}

}  // namespace heft
