#include "information.hpp"

#include <cmath>

#include "linalg/symmetric_eigen.hpp"

namespace heft::payload {

InformationInverse inverse_of(const NormalEquations& equations) {
  constexpr double kRankCut = 1e-12;  // of eigenvalues, which rounding leaves of nothing
  const Eigen::VectorXd scale =
      equations.G.diagonal().unaryExpr([](double g) { return g > 0 ? 1 / std::sqrt(g) : 0.0; });
  const Matrix10d scaled = scale.asDiagonal() * equations.G * scale.asDiagonal();
  const SymmetricEigen<Eigen::Dynamic> eigen(scaled);
  InformationInverse inverse;
  BodyParameters open = BodyParameters::Zero();
  for (int k = 0; k < 10; ++k) {
    const double value = eigen.eigenvalues()[k];
    const BodyParameters v = eigen.eigenvectors().col(k);
    if (value > kRankCut * eigen.eigenvalues()[9]) {
      inverse.value += v * v.transpose() / value;
      ++inverse.rank;
    } else {
      open += v.cwiseAbs2();
    }
  }
  inverse.value = (scale.asDiagonal() * inverse.value * scale.asDiagonal()).eval();
  for (std::size_t k = 0; k < 10; ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    inverse.open[k] = open[at] > 1e-6 || scale[at] == 0;
  }
  return inverse;
}

}  // namespace heft::payload
