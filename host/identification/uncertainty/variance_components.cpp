#include "uncertainty/variance_components.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "linalg/factorizations.hpp"

namespace heft {

namespace {

constexpr int kMostIterations = 100;
constexpr double kClose = 1e-11;  ///< decrease of the cost by a Newton step that ends the
                                  ///< iteration, per observation
constexpr double kLongest = 2;    ///< step of the logarithm of a variance
constexpr double kLeast = 1e-12;  ///< variance relative to the stated one

/// Returns K^-1 and log det K.
std::pair<Eigen::MatrixXd, double> inverse_covariance(
    const std::vector<VarianceComponent>& components, const Eigen::VectorXd& variances,
    Eigen::Index size) {
  Eigen::MatrixXd K = Eigen::MatrixXd::Identity(size, size);
  for (std::size_t k = 0; k < components.size(); ++k)
    K += variances[static_cast<Eigen::Index>(k)] * components[k].covariance;
  const Eigen::LLT<Eigen::MatrixXd> root(K);
  return {root.solve(Eigen::MatrixXd::Identity(size, size)),
          2 * root.matrixLLT().diagonal().array().log().sum()};
}

/// The cost of variances, with what both kinds of steps need.
struct Point {
  Eigen::VectorXd variances;
  double cost = 0;
  Eigen::VectorXd gradient;     ///< by the logarithms of the variances
  Eigen::MatrixXd information;  ///< mean of expected and observed second derivatives by these
  Eigen::VectorXd majorized;    ///< the variances after the step in the header

  Point(const Eigen::VectorXd& z, const std::vector<VarianceComponent>& components,
        Eigen::VectorXd at)
      : variances(std::move(at)) {
    const auto count = std::ssize(components);
    const auto [inverse, log_det] = inverse_covariance(components, variances, z.size());
    const Eigen::VectorXd a = inverse * z;
    cost = log_det + z.dot(a);
    gradient.resize(count), majorized = variances;
    Eigen::MatrixXd moved(z.size(), count);
    Eigen::VectorXd of_stated(count);
    for (Eigen::Index k = 0; k < count; ++k) {
      const auto& [B, stated, degrees] = components[static_cast<std::size_t>(k)];
      const double v = variances[k];
      moved.col(k) = v * (B * a);
      // rounding may make a form of zero negative
      const double seen = v * std::max(0.0, a.dot(moved.col(k))),
                   expected = v * v * inverse.cwiseProduct(B).sum();
      cost += degrees > 0 ? degrees * (std::log(v) + stated / v) : 0;
      gradient[k] = (expected - seen) / v + degrees * (1 - stated / v);
      of_stated[k] = degrees * stated / v;
      const double above = seen + degrees * stated, below = expected + degrees * v;
      if (below > 0) majorized[k] = std::max(kLeast * stated, v * std::sqrt(above / below));
    }
    information = moved.transpose() * inverse * moved;
    information.diagonal() += of_stated;
  }
};

/// Returns the Newton step of the logarithms, where variances at their lower bound stay there.
Eigen::VectorXd newton_step(const Point& point, const std::vector<VarianceComponent>& components) {
  Eigen::VectorXd step = Eigen::VectorXd::Zero(point.gradient.size());
  std::vector<int> free;
  for (std::size_t k = 0; k < components.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    const bool ends = point.variances[at] <= kLeast * components[k].stated * (1 + 1e-9);
    if (!ends || point.gradient[at] < 0) free.push_back(static_cast<int>(k));
  }
  const Eigen::VectorXd gradient = point.gradient(free);
  Eigen::MatrixXd information = point.information(free, free);
  // a variance without effect has neither gradient nor information
  information.diagonal() +=
      1e-12 * information.diagonal() + Eigen::VectorXd::Constant(gradient.size(), 1e-12);
  const Eigen::VectorXd change = information.ldlt().solve(-gradient);
  for (std::size_t i = 0; i < free.size(); ++i)
    step[free[i]] = std::clamp(change[static_cast<Eigen::Index>(i)], -kLongest, kLongest);
  return step;
}

/// Twice the Fisher information of the variances, plus that of the stated variances.
Eigen::MatrixXd twice_information(const std::vector<VarianceComponent>& components,
                                  const Eigen::VectorXd& variances, Eigen::Index size) {
  const Eigen::MatrixXd inverse = inverse_covariance(components, variances, size).first;
  std::vector<Eigen::MatrixXd> products;
  for (const VarianceComponent& component : components)
    products.push_back(inverse * component.covariance);
  const auto count = std::ssize(components);
  Eigen::MatrixXd result(count, count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    for (Eigen::Index l = 0; l <= k; ++l)
      result(k, l) = result(l, k) =
          products[at].cwiseProduct(products[static_cast<std::size_t>(l)].transpose()).sum();
    result(k, k) += components[at].degrees / (variances[k] * variances[k]);
  }
  return result;
}

}  // namespace

VarianceEstimate estimate_variances(const Eigen::VectorXd& z,
                                    const std::vector<VarianceComponent>& components) {
  const auto count = std::ssize(components);
  VarianceEstimate result{Eigen::VectorXd(count), Eigen::MatrixXd::Zero(count, count)};
  for (Eigen::Index k = 0; k < count; ++k)
    result.variances[k] = components[static_cast<std::size_t>(k)].stated;
  if (count == 0) return result;
  Eigen::VectorXd least(count);
  for (Eigen::Index k = 0; k < count; ++k)
    least[k] = kLeast * components[static_cast<std::size_t>(k)].stated;
  Point point(z, components, result.variances);
  for (int i = 0; i < kMostIterations && std::isfinite(point.cost); ++i) {
    const Eigen::VectorXd step = newton_step(point, components);
    if (!step.allFinite()) break;
    const double promised = -point.gradient.dot(step);
    const Eigen::VectorXd by_newton =
        point.variances.cwiseProduct(step.array().exp().matrix()).cwiseMax(least);
    if (promised >= 0 && promised <= kClose * static_cast<double>(z.size() + 1)) {
      result.variances = by_newton;
      break;
    }
    Point next(z, components, by_newton);
    // far from the minimum the step of the header decreases the cost, but that of Newton may not
    if (!(next.cost <= point.cost - 1e-4 * std::abs(promised)))
      next = Point(z, components, point.majorized);
    point = std::move(next);
    result.variances = point.variances;
  }
  if (!result.variances.allFinite()) return result;
  // in units of the variances; components that nothing determines have a large variance
  const auto units = result.variances.asDiagonal();
  Eigen::MatrixXd scaled =
      units * twice_information(components, result.variances, z.size()) * units;
  scaled.diagonal().array() += 1e-9;
  result.covariance =
      units * (2 * scaled.llt().solve(Eigen::MatrixXd::Identity(count, count))) * units;
  return result;
}

}  // namespace heft
