#include "payload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/parallel_tasks.hpp"
#include "files/yaml_text.hpp"
#include "linalg/factorizations.hpp"
#include "solve/prior_term.hpp"
#include "solve/problem_again.hpp"

namespace heft {

namespace {

constexpr double kMoreThanFile = 0.3,
                 kOfRobot = 0.02;        ///< of the link's mass in the file; of the robot's
constexpr double kFarthestCenter = 0.6;  ///< m: a more distant center of mass is not a tool
constexpr double kPayloadGain = 3;       ///< nats
constexpr double kWorthNewton = 0.5;     ///< of that gain, at the mass by which the answer differs
                                         ///< from the file
constexpr int kNewtonSteps = 4;

/// m [kg] and c [m] in the link's axes.
using MassAt = Eigen::Vector4d;

BodyParameters point_mass(const MassAt& at) {
  return parameters_about_origin(at[0], at.tail<3>(), Eigen::Matrix3d::Zero());
}

/// F of the header, from the moments of the training logs.
class PriorWithPayload {
 public:
  /// `equations`: of the profile's problem.
  PriorWithPayload(const HypothesisInput& input, NormalEquations equations, int body)
      : input_(input), equations_(std::move(equations)), body_(body) {}

  Result<Solution> solved(const MassAt& at) const {
    HEFT_TRY(problem, make_problem_again(input_.setup.plan().layout, equations_, with(at),
                                         input_.setup.constraints));
    return solve(problem, input_.solve);
  }

  /// F and its gradient, by the envelope theorem that of the link's prior cost at the best bodies.
  struct Point {
    MassAt at = MassAt::Zero();
    double value = 0;
    Eigen::Vector4d slope = Eigen::Vector4d::Zero();
  };

  Result<Point> point(const MassAt& at) const {
    HEFT_TRY(solution, solved(at));
    const BodyParameters body =
        solution.x.segment<core::kNumParameters>(core::kNumParameters * body_);
    Point point{at, half_rows() * solution.objective, {}};
    const Eigen::Vector4d h = steps(at) / 8;
    for (int a = 0; a < 4; ++a) {
      const Eigen::Vector4d by_h = h[a] * Eigen::Vector4d::Unit(a);
      point.slope[a] =
          half_rows() *
          (prior_cost(body, with(at + by_h), body_) - prior_cost(body, with(at - by_h), body_)) /
          (2 * h[a]);
    }
    return point;
  }

  /// Hessian by differences of gradients.
  Result<Eigen::Matrix4d> curvature(const Point& middle, const Workers& workers) const {
    const Eigen::Vector4d h = steps(middle.at);
    Eigen::Matrix4d curvature;
    const auto difference = [&](std::int64_t a, int) -> Result<Done> {
      HEFT_TRY(beside, point(middle.at + h[a] * Eigen::Vector4d::Unit(a)));
      curvature.col(a) = (beside.slope - middle.slope) / h[a];
      return Done{};
    };
    HEFT_CHECK(parallel_tasks(4, workers.num_threads, workers.progress, "estimating a payload",
                              difference));
    return Eigen::Matrix4d(0.5 * (curvature + curvature.transpose()));
  }

 private:
  /// Step: small relative to the payload, large relative to solver tolerances.
  static Eigen::Vector4d steps(const MassAt& at) { return {0.01 * at[0], 0.002, 0.002, 0.002}; }

  double half_rows() const { return 0.5 * equations_.num_rows; }

  Prior with(const MassAt& at) const {
    Prior prior = input_.setup.prior;
    prior.references[static_cast<std::size_t>(body_)] += point_mass(at);
    return prior;
  }

  const HypothesisInput& input_;
  NormalEquations equations_;
  int body_;
};

struct LeastObjective {
  MassAt at = MassAt::Zero();
  double value = 0;
  double sd_mass = std::numeric_limits<double>::infinity();
};

Result<LeastObjective> least_of(const PriorWithPayload& prior, PriorWithPayload::Point least,
                                const Workers& workers) {
  double sd_mass = std::numeric_limits<double>::infinity();
  for (int step = 0; step < kNewtonSteps; ++step) {
    HEFT_TRY(curvature, prior.curvature(least, workers));
    const Eigen::FullPivLU<Eigen::Matrix4d> lu(curvature);
    if (!lu.isInvertible()) break;
    const double variance = lu.inverse()(0, 0);
    sd_mass = variance > 0 ? std::sqrt(variance) : std::numeric_limits<double>::infinity();
    const Eigen::Vector4d whole = -lu.solve(least.slope);
    bool falls = false;
    for (double share = 1; share > 0.1 && !falls; share *= 0.5) {
      const MassAt at = least.at + share * whole;
      if (!(at[0] > 0) || !(at.tail<3>().norm() < kFarthestCenter)) continue;
      HEFT_TRY(there, prior.point(at));
      falls = there.value < least.value;
      if (falls) least = there;
    }
    if (!falls || whole.norm() < 1e-3 * least.at.norm()) break;
  }
  return LeastObjective{least.at, least.value, sd_mass};
}

/// Bodies at the ends of chains that the result makes much heavier than the file, by `share` of the
/// threshold.
std::vector<int> laden_ends(const HypothesisInput& input, const Eigen::VectorXd& answer,
                            double share = 1) {
  const RegressorPlan& plan = input.setup.plan();
  const Prior& prior = input.setup.prior;
  if (prior.references.empty() || prior.kind == PriorKind::none) return {};
  std::vector<bool> carries(plan.robot.bodies.size(), false);
  for (const Body& body : plan.robot.bodies)
    if (body.parent >= 0 && !body.is_rotor) carries[static_cast<std::size_t>(body.parent)] = true;
  double whole = 0;
  for (const BodyParameters& reference : prior.references) whole += reference[core::kMass];
  std::vector<int> ends;
  for (int i = 0; i < plan.layout.num_bodies(); ++i) {
    const auto body = static_cast<std::size_t>(plan.layout.body_index[static_cast<std::size_t>(i)]);
    const auto at = static_cast<std::size_t>(i);
    if (carries[body] || plan.robot.bodies[body].is_rotor || prior.held[at]) continue;
    const double believed = prior.references[at][core::kMass],
                 more = answer[plan.layout.index(i, core::kMass)] - believed;
    if (more > share * kMoreThanFile * believed && more > share * kOfRobot * whole)
      ends.push_back(i);
  }
  return ends;
}

/// priors: {"tool0": {parameters: [..]}} of the file's body and the payload together.
std::string prior_yaml(const std::string& body, const BodyParameters& parameters) {
  std::string numbers;
  for (const double number : parameters)
    numbers += fmt::format("{}{:.6g}", numbers.empty() ? "" : ", ", number);
  return fmt::format("priors: {{{}: {{parameters: [{}]}}}}\n", yaml_quoted(body), numbers);
}

}  // namespace

bool has_laden_end(const HypothesisInput& input, const Eigen::VectorXd& answer) {
  constexpr double kAlmost = 0.8;
  return !laden_ends(input, answer, kAlmost).empty();
}

Result<std::optional<Hypothesis>> missing_payload(const Profile& profile, const Explained& answer,
                                                  const Residuals& residuals) {
  const HypothesisInput& input = profile.input();
  const RegressorPlan& plan = input.setup.plan();
  std::optional<Hypothesis> best;
  for (const int body : laden_ends(input, answer.parameters)) {
    const BodyParameters file = input.setup.prior.references[static_cast<std::size_t>(body)];
    const BodyParameters more =
        answer.parameters.segment<core::kNumParameters>(core::kNumParameters * body) - file;
    Eigen::Vector3d center = more.segment<3>(core::kMcx) / more[core::kMass];
    if (center.norm() > 0.5 * kFarthestCenter) center *= 0.5 * kFarthestCenter / center.norm();
    HEFT_TRY(equations, profile.equations_as_it_is());
    const PriorWithPayload prior(input, std::move(equations), body);
    MassAt first;
    first << more[core::kMass], center;
    const double kappa = rows_worth_one(residuals).mean();
    HEFT_TRY(begin, prior.point(first));
    if (!((answer.objective - begin.value) / kappa >= kWorthNewton * kPayloadGain)) continue;
    HEFT_TRY(least, least_of(prior, begin, profile.workers()));
    const double gain = (answer.objective - least.value) / kappa;
    if (!(gain >= kPayloadGain) || (best && gain <= best->gain_training)) continue;
    HEFT_TRY(solution, prior.solved(least.at));
    const Explained with{.plan = answer.plan,
                         .parameters = solution.x.head(plan.layout.num_parameters())};
    HEFT_TRY(after, profile.residuals_as_it_is(input.training, with));
    const std::string& link = plan.layout.bodies[static_cast<std::size_t>(body)];
    const double half = 1.96 * least.sd_mass * std::sqrt(kappa);
    Hypothesis found{.id = "payload",
                     .subject = fmt::format("a mass at ({:.3f}, {:.3f}, {:.3f}) m of {}",
                                            least.at[1], least.at[2], least.at[3], link),
                     .value = least.at[0],
                     .unit = "kg",
                     .lower = least.at[0] - half,
                     .upper = least.at[0] + half,
                     .gain_training = gain,
                     .training_before = residuals.relative(),
                     .training_after = after.relative(),
                     .yaml = prior_yaml(link, file + point_mass(least.at))};
    if (!input.held_out.stretches.empty()) {
      HEFT_TRY(held_out_before, profile.residuals_as_it_is(input.held_out, answer));
      HEFT_TRY(held_out_after, profile.residuals_as_it_is(input.held_out, with));
      found.held_out_before = held_out_before.relative();
      found.held_out_after = held_out_after.relative();
      found.gain_held_out = (log_ratios(input.held_out, held_out_before, held_out_after) /
                             rows_worth_one(held_out_after))
                                .sum();
    }
    best = std::move(found);
  }
  return best;
}

}  // namespace heft
