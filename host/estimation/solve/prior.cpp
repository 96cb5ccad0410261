#include "heft/solve/prior.hpp"

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "linalg/factorizations.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "solve/prior_term.hpp"

namespace heft {

namespace {

constexpr double kRelativeFloor = 0.02;  // of the largest covariance eigenvalue (FORMULAS 2)
constexpr double kLengthFloor = 0.01;    // [m], rms extent of the smallest believable body
// Below these a covariance counts as singular: nothing on a robot is thinner than a tenth of a
// millimeter.
constexpr double kSingularRatio = 1e-6;
constexpr double kSingularLength = 1e-4;

// The body with the same mass and center of mass whose covariance about the center of mass can be
// inverted; `what` reports any change.
BodyParameters repaired(const BodyParameters& reference, std::string& what) {
  const double mass = reference[core::kMass];
  const Eigen::Vector3d h = reference.segment<3>(core::kMcx);
  Eigen::Matrix4d J = pseudo_inertia(reference);
  const Eigen::Matrix3d covariance = J.topLeftCorner<3, 3>() - h * h.transpose() / mass;

  const SymmetricEigen<3> eigen(covariance);
  const double least = eigen.eigenvalues()[0], largest = eigen.eigenvalues()[2];
  if (least > std::max(kSingularRatio * largest, mass * kSingularLength * kSingularLength))
    return reference;

  const double floor = std::max(kRelativeFloor * largest, mass * kLengthFloor * kLengthFloor);
  const Eigen::Vector3d raised = eigen.eigenvalues().cwiseMax(floor);
  J.topLeftCorner<3, 3>() =
      eigen.eigenvectors() * raised.asDiagonal() * eigen.eigenvectors().transpose() +
      h * h.transpose() / mass;
  what = "its tensor does not belong to a body with extent (least covariance eigenvalue " +
         number_text(least, 3) +
         " kg m^2): eigenvalues of the covariance about the center of mass raised to " +
         number_text(floor, 3) + " kg m^2";
  return body_parameters(J);
}

bool is_positive_definite(const BodyParameters& parameters) {
  return Eigen::LLT<Eigen::Matrix4d>(pseudo_inertia(parameters)).info() == Eigen::Success;
}

// d_k = 1 / x0_k^2: relative deviations of the entries, those near zero measured by the body's own
// size
BodyParameters relative_diagonal(const BodyParameters& reference) {
  const double mass = reference[core::kMass];
  const double extent2 =
      (reference[core::kIxx] + reference[core::kIyy] + reference[core::kIzz]) / (2 * mass);
  BodyParameters size = reference.cwiseAbs();
  for (int k = core::kMcx; k <= core::kMcz; ++k)
    size[k] = std::max(size[k], 0.1 * mass * std::sqrt(extent2));
  for (int k = core::kIxx; k <= core::kIzz; ++k) size[k] = std::max(size[k], 0.1 * mass * extent2);
  return size.cwiseAbs2().cwiseInverse();
}

/// A body of 1 kg within 5 cm of the origin.
BodyParameters small_ball() {
  constexpr double kMass = 1, kRadius = 0.05;
  return parameters_about_origin(kMass, Eigen::Vector3d::Zero(),
                                 0.4 * kMass * kRadius * kRadius * Eigen::Matrix3d::Identity());
}

}  // namespace

ColumnBelief belief_of(const ParameterLayout& layout, const Prior& prior, int column) {
  const Column& of = layout.columns[static_cast<std::size_t>(column)];
  if (of.effect == ColumnEffect::gain && of.gain_sd > 0) {
    const double relative = of.gain / of.gain_sd;
    return {unknown_of(of, 0), kGainWeight * relative * relative};
  }
  return prior.columns.empty() ? ColumnBelief{} : prior.columns[static_cast<std::size_t>(column)];
}

bool has_column_beliefs(const ParameterLayout& layout, const Prior& prior) {
  return !prior.columns.empty() || std::ranges::any_of(layout.columns, [](const Column& column) {
    return column.effect == ColumnEffect::gain;
  });
}

Result<Prior> make_prior(const ParameterLayout& layout,
                         const std::vector<BodyParameters>& references,
                         const PriorOptions& options) {
  const int num_bodies = layout.num_bodies();
  if (static_cast<int>(references.size()) != num_bodies) {
    return Error{"prior",
                 std::to_string(references.size()) + " references for " +
                     std::to_string(num_bodies) + " bodies",
                 "give one per body of the layout"};
  }
  if (!(options.weight >= 0) || !std::isfinite(options.weight) || !(options.ridge >= 0) ||
      !std::isfinite(options.ridge)) {
    return Error{"prior", "weight and ridge must be finite and not negative",
                 "give nonnegative numbers"};
  }
  if (options.kind != PriorKind::none && !(options.weight > 0)) {
    return Error{"prior weight", "a prior needs a weight above zero", "raise it, or use no prior"};
  }
  for (const auto* given : {&options.references, &options.diagonal}) {
    for (const auto& [body, parameters] : *given) {
      if (std::find(layout.bodies.begin(), layout.bodies.end(), body) == layout.bodies.end()) {
        return Error{"prior of " + body, "unknown body", "use the name of a moving link"};
      }
      if (!parameters.allFinite())
        return Error{"prior of " + body, "not finite",
                     "fix the inertia of this body in the robot file"};
    }
  }

  for (const std::string& body : options.unknown) {
    if (std::find(layout.bodies.begin(), layout.bodies.end(), body) == layout.bodies.end())
      return Error{"prior of " + body, "unknown body", "use the name of a moving link"};
    if (prior_term(options.kind).has_barrier())
      return Error{"prior of " + body, "the entropic prior has one weight for all bodies",
                   "use another prior where a body is unknown"};
  }

  Prior prior{options.kind,
              options.weight,
              options.ridge,
              references,
              std::vector<bool>(num_bodies, false),
              {},
              {}};
  for (int body = 0; body < num_bodies; ++body) {
    const std::string& body_name = layout.bodies[body];
    BodyParameters& reference = prior.references[body];
    const auto given = options.references.find(body_name);
    if (given != options.references.end()) {
      reference = given->second;
      if (!is_positive_definite(reference)) {
        return Error{
            "prior of " + body_name,
            "not a physically consistent inertia (the pseudo-inertia is not positive definite)",
            "give mass > 0 and a tensor about the origin that satisfies the triangle inequalities "
            "about the center of mass"};
      }
    }
    if (!reference.allFinite())
      return Error{"prior of " + body_name, "contains NaN or infinity", "fix the model"};
    if (reference[core::kMass] < 0)
      return Error{"prior of " + body_name, "negative mass", "fix the model"};

    if (options.unknown.count(body_name) > 0) {
      if (prior.share.empty()) prior.share.assign(num_bodies, 1.0);
      prior.share[body] = kUnknownShare;
      if (reference[core::kMass] == 0) reference = small_ball();
    }
    if (reference[core::kMass] == 0) {
      prior.held[body] = true;
      prior.repairs.push_back(
          {body,
           "no mass in the model: held at its reference; give it an explicit prior to identify it"});
      continue;
    }
    std::string what;
    reference = repaired(reference, what);
    if (!what.empty()) prior.repairs.push_back({body, what});
    if (!is_positive_definite(reference)) {
      return Error{"prior of " + body_name, "cannot be inverted in double precision",
                   "give it an explicit prior"};
    }
  }

  for (int body = 0; body < num_bodies; ++body) {
    const auto given = options.diagonal.find(layout.bodies[body]);
    if (given != options.diagonal.end()) {
      if (!(given->second.array() >= 0).all())
        return Error{"prior of " + given->first, "a diagonal weight is negative or not a number",
                     "give weights of at least zero"};
      prior.diagonal.push_back(given->second);
    } else {
      prior.diagonal.push_back(prior.held[body] ? BodyParameters(BodyParameters::Ones())
                                                : relative_diagonal(prior.references[body]));
    }
  }
  if (num_bodies > 0 &&
      std::all_of(prior.held.begin(), prior.held.end(), [](bool held) { return held; }))
    return Error{"link " + layout.bodies.front(),
                 num_bodies == 1
                     ? "has no mass in the robot file and is the only moving link"
                     : "neither this link nor any other moving link has mass in the robot file",
                 "give every link an <inertial> with a rough mass, or mark it as "
                 "unknown: priors: {LINK: unknown}"};
  return prior;
}

Result<Prior> make_prior(const ParameterLayout& layout, const Robot& robot,
                         const PriorOptions& options) {
  std::vector<BodyParameters> references;
  for (const int index : layout.body_index) {
    if (index < 0 || index >= robot.num_bodies()) {
      return Error{"prior", "the layout names a body that the robot does not have",
                   "build the layout from this robot"};
    }
    references.push_back(robot.bodies[index].prior);
  }
  return make_prior(layout, references, options);
}

}  // namespace heft
