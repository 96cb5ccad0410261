#include "design_problem.hpp"

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "beliefs.hpp"
#include "clearance/min_clearance.hpp"
#include "files/name_hint.hpp"
#include "linalg/factorizations.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "model/same_layout.hpp"
#include "motion_faults.hpp"

namespace heft::excite {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Result<Done> check(const Robot& robot, const ExciteOptions& options) {
  if (robot.num_coordinates() == 0)
    return Error{"--robot", "has no movable joint", "choose another robot"};
  const auto is_positive = [](double x) { return x > 0 && std::isfinite(x); };
  HEFT_CHECK(check_shape(options.shape));
  if (!is_positive(options.rate_hz) || options.rate_hz > 1e5 ||
      options.rate_hz * options.shape.duration < 2 ||
      options.rate_hz * options.shape.duration > 2e6)
    return Error{
        "--rate", number_text(options.rate_hz) + " samples per second is out of range",
        "give the rate of your controller, typically 100 to 1000; the motion must have 2 to 2 "
        "million samples"};
  if (!is_positive(options.beliefs.relative_inertia) ||
      !is_positive(options.beliefs.samples_per_second) ||
      !is_positive(options.beliefs.noise_of_effort))
    return Error{"beliefs", "contain a number that is not positive",
                 "remove it to use its default"};
  return Done{};
}

Result<Done> check_task(const Robot& robot, const MotionSamples& task) {
  const Index n = robot.num_coordinates();
  for (const Eigen::ArrayXXd* values : {&task.position, &task.velocity, &task.acceleration}) {
    if (values->rows() != task.size() || values->cols() != n)
      return Error{"--task",
                   "does not have the positions, velocities and accelerations of every "
                   "joint",
                   "give q_<joint> of all joints that move"};
    if (!values->allFinite())
      return Error{"--task", "has numbers that are not finite", "give states without gaps"};
  }
  return Done{};
}

/// Directions that rows can have: eigenvectors of the information of random states relative to
/// prior knowledge.
MatrixXd excitable_directions(const Information& information, const MatrixXd& G) {
  const Eigen::LLT<MatrixXd> factor(information.precision);
  MatrixXd A = G.selfadjointView<Eigen::Lower>();
  factor.matrixL().solveInPlace(A);
  A.transposeInPlace();
  factor.matrixL().solveInPlace(A);
  const SymmetricEigen<Eigen::Dynamic> eigen(A);
  const VectorXd& values = eigen.eigenvalues();
  constexpr double kRankCut = 1e-10;
  Index first = 0;
  while (first < values.size() && values[first] <= kRankCut * values[values.size() - 1]) ++first;
  MatrixXd directions = eigen.eigenvectors().rightCols(values.size() - first);
  factor.matrixU().solveInPlace(directions);
  return directions;
}

/// A posture without pairs closer than their clearance.
Result<Done> check_rest(const DesignProblem& problem, const VectorXd& rest) {
  if (!problem.looks_at_collisions()) return Done{};
  const MinClearance least =
      sample_clearance(problem.collisions, VectorXd::Zero(1), rest.transpose().array()).worst;
  if (!is_too_near(least)) return Done{};
  if (least.value <= 0)
    return Error{"--start", "is in collision: " + least.first + " and " + least.second + " overlap",
                 "begin in another posture, or allow pairs of links to touch in an SRDF "
                 "file, --srdf"};
  return Error{"--start",
               least.first + " and " + least.second + " are only " + number_text(least.value, 3) +
                   " m apart, less than " + number_text(least.wanted, 3),
               "begin in another posture, or reduce limits.clearance"};
}

/// The largest share of its limit that a torque takes to stay in a posture.
double share_at_rest(const DesignProblem& problem, const VectorXd& posture) {
  const Index n = posture.size();
  const MotionSamples rest{.time = VectorXd::Zero(1),
                           .position = posture.transpose().array(),
                           .velocity = Eigen::ArrayXXd::Zero(1, n),
                           .acceleration = Eigen::ArrayXXd::Zero(1, n)};
  double largest = 0;
  for (const LimitUse& use : assess(problem.information, problem.limits, rest, 1, {}).limits)
    if (use.name == kLimitNames[kTorque]) largest = std::max(largest, use.worst_ratio);
  return largest;
}

/// Clearance of a posture beyond the required one [m] or, if smaller, its torque reserve, of which
/// a tenth of a limit counts as one centimeter. Negative: the posture is infeasible.
double spare_of(const DesignProblem& problem, const VectorXd& posture) {
  constexpr double kMaxAtRest = 0.9, kMeters = 0.1;
  if (problem.limits.couplings.worst(posture) >= 1) return -HUGE_VAL;
  const double of_torque = kMeters * (kMaxAtRest - share_at_rest(problem, posture));
  if (!problem.looks_at_collisions()) return of_torque;
  const MinClearance worst =
      sample_clearance(problem.collisions, VectorXd::Zero(1), posture.transpose().array()).worst;
  return std::min(of_torque, worst.value - worst.wanted);
}

/// The plan of a robot with the columns that moments of logs have.
Result<PlanPtr> plan_of_known(const Robot& robot, const TrainingData& known, const PlanPtr& plan) {
  for (const Channel& channel : known.plan->channels)
    if (channel.coordinate < 0)
      return Error{"--known", "has the channel " + channel.name + " of a base or a sensor",
                   "give moments of joint torques only"};
  if (known.plan->num_channels() != plan->num_channels())
    return Error{"--known",
                 "belongs to another robot: it has " + std::to_string(known.plan->num_channels()) +
                     " joints, not " + std::to_string(plan->num_channels()),
                 "give moments of this robot"};
  HEFT_TRY(same, make_regressor_plan(robot, plan->channels, known.plan->layout.columns));
  if (const std::string difference = layout_difference(*same, *known.plan); !difference.empty())
    return Error{"--known", "belongs to another robot: " + difference,
                 "give moments of this robot"};
  return same;
}

}  // namespace

Result<std::unique_ptr<DesignProblem>> make_design_problem(const Robot& robot,
                                                           const ExciteOptions& options,
                                                           const TrainingData* known) {
  auto problem = std::make_unique<DesignProblem>();
  HEFT_CHECK(check(robot, options));
  HEFT_TRY(limits, make_limits(robot, options.limits));
  problem->limits = limits;
  problem->notes = limits.assumed;
  HEFT_TRY(plan, make_excitation_plan(robot, options.beliefs));
  if (known != nullptr) {
    HEFT_TRY(of_known, plan_of_known(robot, *known, plan));
    plan = of_known;
  }
  HEFT_TRY(beliefs, make_beliefs(*plan, problem->limits, options.beliefs, known, problem->notes));
  HEFT_TRY(information, make_information(plan, beliefs));
  problem->information = information;
  const VectorXd& middle = limits.middle;
  const VectorXd& reach = limits.size[kPosition];
  ClearanceOptions clearance = options.clearance;
  clearance.on_table = options.base == BaseHold::table && !clearance.ignore;
  HEFT_TRY(collisions, make_collision_model(robot, clearance, middle - reach, middle + reach));
  problem->collisions = std::move(collisions);
  problem->notes.insert(problem->notes.end(), problem->collisions.notes.begin(),
                        problem->collisions.notes.end());
  const auto mean_information = [&](const MotionSamples& states) {
    const MatrixXd G = assess(problem->information, problem->limits, states, 1, {}).G;
    return MatrixXd(G.selfadjointView<Eigen::Lower>());
  };
  const MotionSamples anywhere = random_states(limits, 600);
  problem->everywhere = mean_information(anywhere);
  problem->excitable = excitable_directions(problem->information, problem->everywhere);
  if (options.task.size() > 0) HEFT_CHECK(check_task(robot, options.task));
  problem->states = options.task.size() > 0 ? options.task : anywhere;
  problem->task = options.task.size() > 0 ? mean_information(options.task) : problem->everywhere;
  problem->center = limits.center;
  return problem;
}

void prepare_search(DesignProblem& problem) {
  if (problem.looks_at_collisions()) problem.spheres = SpherePairs(problem.collisions);
  const auto spare = [&](const VectorXd& posture) { return spare_of(problem, posture); };
  constexpr int kRings = 4, kPostures = 50;
  double most = spare(problem.center);
  RandomStream random(11);
  const VectorXd& reach = problem.limits.size[kPosition];
  const auto random_posture = [&](RandomStream& from) -> VectorXd {
    return VectorXd::NullaryExpr(reach.size(), [&](Index k) {
      return from.uniform(problem.limits.middle[k] - reach[k], problem.limits.middle[k] + reach[k]);
    });
  };
  for (int ring = 1; ring <= kRings && most < 0; ++ring)  // the nearest ring in which something is
                                                          // free
    for (int i = 0; i < kPostures; ++i) {
      const VectorXd posture =
          problem.limits.middle +
          static_cast<double>(ring) / kRings * (random_posture(random) - problem.limits.middle);
      if (const double found = spare(posture); found > most) most = found, problem.center = posture;
    }
}

Result<std::optional<VectorXd>> rest_of(const Robot& robot, const DesignProblem& problem,
                                        const ExciteOptions& options) {
  if (options.start.empty()) return std::optional<VectorXd>{};
  const Limits& limits = problem.limits;
  VectorXd rest = limits.middle;
  std::vector<std::string> joints;
  for (const Coordinate& coordinate : robot.coordinates) joints.push_back(coordinate.name);
  for (const auto& [joint, value] : options.start) {
    const auto found = std::find(joints.begin(), joints.end(), joint);
    if (found == joints.end())
      return Error{"--start", "the robot has no movable joint '" + joint + "'",
                   name_hint(joint, joints, "it has")};
    const Index k = found - joints.begin();
    if (!(std::abs(value - limits.middle[k]) <= limits.size[kPosition][k]))
      return Error{"--start",
                   joint + " at " + number_text(value) + " is outside its limits, " +
                       number_text(limits.middle[k] - limits.size[kPosition][k]) + " to " +
                       number_text(limits.middle[k] + limits.size[kPosition][k]),
                   "begin within the limits, or widen limits.position"};
    rest[k] = value;
  }
  if (options.start.size() < joints.size())
    for (const std::string& joint : joints)
      if (!options.start.contains(joint))
        return Error{"--start", "has no position for " + joint,
                     "name all " + std::to_string(joints.size()) + " joints"};
  if (limits.couplings.worst(rest) > 1)
    return Error{"--start", "is outside a position limit of limits.couplings",
                 "begin within that limit, or widen it"};
  HEFT_CHECK(check_rest(problem, rest));
  return std::optional<VectorXd>(rest);
}

std::vector<bool> counting(const MotionShape& shape, const MotionSamples& samples) {
  std::vector<bool> counts;
  if (shape.kind == ExcitationMotion::poses)
    for (Index i = 0; i < samples.size(); ++i) counts.push_back(shape.is_at_rest(samples.time[i]));
  return counts;
}

}  // namespace heft::excite
