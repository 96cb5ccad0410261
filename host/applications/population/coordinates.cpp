#include "coordinates.hpp"

#include <algorithm>

#include "base/median.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "solve/body_scale.hpp"

namespace heft::population {

namespace {

constexpr int kNum = core::kNumParameters;
constexpr double kThinnest = 0.05;  ///< least eigenvalue of a covariance about the center of mass,
                                    ///< of the largest

/// Keeps mass and center of mass but thickens sides thinner than a fifth of the longest: scatter
/// between robots depends on a body's size, not on how thin its CAD model is.
BodyParameters rounded(const BodyParameters& reference) {
  const double mass = reference[core::kMass];
  const Eigen::Vector3d h = reference.segment<3>(core::kMcx);
  Eigen::Matrix4d J = pseudo_inertia(reference);
  const SymmetricEigen<3> eigen(
      Eigen::Matrix3d(J.topLeftCorner<3, 3>() - h * h.transpose() / mass));
  const Eigen::Vector3d raised = eigen.eigenvalues().cwiseMax(kThinnest * eigen.eigenvalues()[2]);
  J.topLeftCorner<3, 3>() =
      eigen.eigenvectors() * raised.asDiagonal() * eigen.eigenvectors().transpose() +
      h * h.transpose() / mass;
  return body_parameters(J);
}

}  // namespace

Coordinates make_coordinates(const PopulationModel& model,
                             const std::vector<PopulationRobot>& robots) {
  const ParameterLayout& layout = model.layout;
  const int num_bodies = layout.num_bodies(), P = layout.num_parameters();
  Coordinates made{.fixed = Eigen::VectorXd::Zero(P),
                   .S = Eigen::MatrixXd::Zero(P, P),
                   .first = std::vector<int>(static_cast<std::size_t>(num_bodies), -1),
                   .metric = model.prior.references,
                   .column = std::vector<int>(static_cast<std::size_t>(layout.num_columns()), -1),
                   .unit = Eigen::VectorXd::Ones(layout.num_columns())};
  for (int body = 0; body < num_bodies; ++body) {
    const auto b = static_cast<std::size_t>(body);
    const int x = layout.index(body, core::kMass);
    if (model.prior.held[b]) {
      made.fixed.segment<kNum>(x) = model.prior.references[b];
      continue;
    }
    made.metric[b] = rounded(model.prior.references[b]);
    made.first[b] = made.size();
    made.S.block<kNum, kNum>(x, made.size()) = body_scale(made.metric[b]);
    made.group.insert(made.group.end(), kNum, static_cast<int>(made.groups.size()));
    made.groups.push_back(layout.bodies[b]);
  }
  for (int k = 0; k < layout.num_columns(); ++k) {
    const int x = layout.column_index(k);
    std::vector<double> sizes;
    for (const PopulationRobot& robot : robots)
      if (robot.equations.G(x, x) > 0) sizes.push_back(std::abs(robot.least_squares[x]));
    if (sizes.empty()) continue;
    if (const double typical = median(sizes); typical > 0) made.unit[k] = typical;
    made.column[static_cast<std::size_t>(k)] = made.size();
    made.S(x, made.size()) = made.unit[k];
    const std::string& kind = layout.columns[static_cast<std::size_t>(k)].kind;
    auto group = std::find(made.groups.begin(), made.groups.end(), kind);
    if (group == made.groups.end()) group = made.groups.insert(made.groups.end(), kind);
    made.group.push_back(static_cast<int>(group - made.groups.begin()));
  }
  made.S.conservativeResize(P, made.size());
  return made;
}

LogInformation information_of(const PopulationRobot& robot, const Coordinates& coordinates,
                              double rows_worth_one) {
  const NormalEquations& all = robot.equations;
  const Eigen::MatrixXd& S = coordinates.S;
  LogInformation information{
      .H = S.transpose() * all.G * S / rows_worth_one,
      .g = S.transpose() * (all.b - all.G * coordinates.fixed) / rows_worth_one};
  information.H = (0.5 * (information.H + information.H.transpose())).eval();
  return information;
}

BodyParameters body_at(const Coordinates& coordinates, int first, int x, const Eigen::VectorXd& z) {
  return coordinates.S.block<kNum, kNum>(x, first) * z.segment<kNum>(first);
}

}  // namespace heft::population
