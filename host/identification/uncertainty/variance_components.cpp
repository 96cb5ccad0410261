#include "uncertainty/variance_components.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/factorizations.hpp"

namespace heft {

namespace {

constexpr int kMostIterations = 60;
constexpr double kClose = 0.01;   ///< change of the logarithms of variances that ends the iteration
constexpr double kLeast = 1e-12;  ///< variance relative to the stated one

/// Returns K^-1.
Eigen::MatrixXd inverse_covariance(const std::vector<VarianceComponent>& components,
                                   const Eigen::VectorXd& variances, Eigen::Index size) {
  Eigen::MatrixXd K = Eigen::MatrixXd::Identity(size, size);
  for (std::size_t k = 0; k < components.size(); ++k)
    K += variances[static_cast<Eigen::Index>(k)] * components[k].covariance;
  return K.llt().solve(Eigen::MatrixXd::Identity(size, size));
}

/// One step of the iteration in the header.
Eigen::VectorXd improved(const Eigen::VectorXd& z, const std::vector<VarianceComponent>& components,
                         const Eigen::VectorXd& variances) {
  const Eigen::MatrixXd inverse = inverse_covariance(components, variances, z.size());
  const Eigen::VectorXd a = inverse * z;
  Eigen::VectorXd result = variances;
  for (std::size_t k = 0; k < components.size(); ++k) {
    const auto& [B, stated, degrees] = components[k];
    double& v = result[static_cast<Eigen::Index>(k)];
    // rounding may make a form of zero negative
    const double above = v * v * std::max(0.0, a.dot(B * a)) + degrees * stated,
                 below = v * v * inverse.cwiseProduct(B).sum() + degrees * v;
    if (below > 0) v = std::max(kLeast * stated, v * std::sqrt(above / below));
  }
  return result;
}

/// Twice the Fisher information of the variances, plus that of the stated variances.
Eigen::MatrixXd twice_information(const std::vector<VarianceComponent>& components,
                                  const Eigen::VectorXd& variances, Eigen::Index size) {
  const Eigen::MatrixXd inverse = inverse_covariance(components, variances, size);
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
  for (int i = 0; i < kMostIterations; ++i) {
    const Eigen::VectorXd before = result.variances;
    result.variances = improved(z, components, before);
    if (!result.variances.allFinite()) return result;
    if ((result.variances.cwiseQuotient(before)).array().log().abs().maxCoeff() < kClose) break;
  }
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
