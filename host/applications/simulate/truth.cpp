// The true parameters of a simulated log (inertias near the URDF's, friction) and their JSON form.
#include <algorithm>
#include <cmath>

#include "base/random_stream.hpp"
#include "files/json_text.hpp"
#include "files/whole_file.hpp"
#include "heft/setup/setup.hpp"
#include "heft/simulate/simulate.hpp"
#include "linalg/factorizations.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "simulate/floating_motion.hpp"
#include "usable_limits.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

/// L exp(S) L' with J0 = LL' and S symmetric, entries of standard deviation `size`.
BodyParameters perturbed(const BodyParameters& prior, double size, RandomStream& random) {
  Eigen::Matrix4d S;
  for (int i = 0; i < 4; ++i)
    for (int j = i; j < 4; ++j) S(i, j) = S(j, i) = size * random.normal();
  const Eigen::LLT<Eigen::Matrix4d> factor(pseudo_inertia(prior));
  if (factor.info() != Eigen::Success) return prior;
  const SymmetricEigen<4> eigen(S);
  const Eigen::Matrix4d exponential = eigen.eigenvectors() *
                                      eigen.eigenvalues().array().exp().matrix().asDiagonal() *
                                      eigen.eigenvectors().transpose();
  const Eigen::Matrix4d L = factor.matrixL();
  return body_parameters(L * exponential * L.transpose());
}

/// Mass, and center of mass with all joints at zero in the axes of the root link.
Result<Json> whole_robot(const SimulatedTruth& truth) {
  Samples rest;
  rest.time.setZero(1);
  for (const auto array : {&Samples::position, &Samples::velocity, &Samples::acceleration})
    (rest.*array).setZero(1, truth.plan->robot.num_coordinates());
  HEFT_TRY(equations, base_equations(truth, rest));
  const double mass = equations.front().mass();
  const Eigen::Vector3d com = equations.front().first_moment() / std::max(mass, 1e-300);
  return Json{{"frame", truth.plan->robot.bodies.front().name},
              {"mass", mass},
              {"com", {com[0], com[1], com[2]}}};
}

}  // namespace

Result<SimulatedTruth> simulated_truth(const Robot& robot, const SimulateOptions& options) {
  HEFT_TRY(model, make_model(robot, {.columns = {{.kind = "viscous"},
                                                 {.kind = "coulomb", .tanh_width = kCoulombWidth}},
                                     .sensors = options.sensors}));
  const PlanPtr plan = std::move(model.plan);

  SimulatedTruth truth{plan, Eigen::VectorXd(plan->layout.num_parameters())};
  RandomStream random(options.seed);
  for (int i = 0; i < plan->layout.num_bodies(); ++i)
    truth.parameters.segment<core::kNumParameters>(core::kNumParameters * i) =
        perturbed(robot.bodies[plan->layout.body_index[i]].prior, options.perturbation, random);
  for (int j = 0; j < plan->layout.num_columns(); ++j) {
    const Column& column = plan->layout.columns[j];
    const Coordinate& joint = robot.coordinates[plan->channels[column.terms[0].channel].coordinate];
    const double speed = usable_velocity(joint);
    const double at_full_speed = options.friction * usable_effort(joint) * random.uniform(0.5, 1.5);
    truth.parameters[plan->layout.column_index(j)] =
        column.effect == ColumnEffect::damping ? at_full_speed / speed : at_full_speed;
  }
  return truth;
}

Result<Done> write_truth(const SimulatedTruth& truth, const std::string& path) {
  const ParameterLayout& layout = truth.plan->layout;
  Json json{{"schema", "heft-truth-1"}, {"parameters", Json::object()}};
  for (int p = 0; p < layout.num_parameters(); ++p)
    json["parameters"][layout.name(p)] = {{"value", truth.parameters[p]}, {"unit", layout.unit(p)}};
  if (truth.plan->robot.floating_base) {
    HEFT_TRY(whole, whole_robot(truth));
    json["whole"] = std::move(whole);
  }
  return write_file_whole(path, json.dump(2) + "\n");
}

Result<Eigen::VectorXd> read_truth(const std::string& path, const RegressorPlan& plan) {
  const ParameterLayout& layout = plan.layout;
  HEFT_TRY(text, read_file_whole(path, kLargestResult));
  const Json json = parse_json<Json>(text);
  if (json.is_discarded() || !json.contains("parameters"))
    return Error{path, "is not a truth file", "give the truth.json that 'heft simulate' wrote"};
  Eigen::VectorXd parameters(layout.num_parameters());
  for (int p = 0; p < layout.num_parameters(); ++p) {
    const auto found = json["parameters"].find(layout.name(p));
    const bool is_link = p < layout.column_index(0) &&
                         !plan.robot.bodies[layout.body_index[p / core::kNumParameters]].is_rotor;
    if (found == json["parameters"].end() && is_link)
      return Error{path, "has no parameter '" + layout.name(p) + "'",
                   "give the truth of the same robot"};
    if (found != json["parameters"].end() &&
        !(found->is_object() && found->value("value", Json()).is_number()))
      return Error{path, "parameter '" + layout.name(p) + "' has no value",
                   "simulate the robot again"};
    parameters[p] = found == json["parameters"].end() ? 0.0 : (*found)["value"].get<double>();
  }
  return parameters;
}

double relative_distance(const Moments& moments, const Eigen::VectorXd& parameters,
                         const Eigen::VectorXd& truth) {
  const NormalEquations equations =
      normal_equations(moments, Eigen::VectorXd::Ones(moments.plan->num_channels()));
  const Eigen::VectorXd difference = parameters - truth;
  return std::sqrt(difference.dot(equations.G * difference) / truth.dot(equations.G * truth));
}

}  // namespace heft
