// Four point masses with the moments of a body: J = sum v_i v_i', v_i = sqrt(m_i) [x_i; 1]. Columns of any factor of J, rotated in
// pairs until v_i'Q v_i = tr(J Q) / 4, lie in the ellipsoid of Q whenever any mass distribution with this J does [Sturm, Zhang
// 2003; Wensing 2018, Thm 4].
#include <Eigen/Cholesky>
#include <cmath>

#include "heft/payload/payload.hpp"
#include "heft/solve/constraints.hpp"

namespace heft {

namespace {

void equalise(const Eigen::Matrix4d& Q, Eigen::Matrix4d& V) {
  for (int round = 0; round < 3; ++round) {
    const Eigen::Matrix4d M = V.transpose() * Q * V;
    const double mean = M.trace() / 4;
    int high = 0, low = 0;
    M.diagonal().maxCoeff(&high), M.diagonal().minCoeff(&low);
    const double above = M(high, high) - mean, below = M(low, low) - mean;
    if (!(above > 0) || !(below < 0)) return;
    // above + 2 M t + below t^2 = 0: the larger comes down to the mean
    const double root = std::sqrt(M(high, low) * M(high, low) - above * below);
    const double t = (-M(high, low) - std::copysign(root, M(high, low))) / below;
    const double c = 1 / std::sqrt(1 + t * t), s = c * t;
    const Eigen::Vector4d v = c * V.col(high) + s * V.col(low);
    V.col(low) = (c * V.col(low) - s * V.col(high)).eval();
    V.col(high) = v;
  }
}

}  // namespace

Result<FourMasses> four_masses(const BodyParameters& payload, const std::optional<Ellipsoid>& bounds) {
  const Eigen::Matrix4d J = pseudo_inertia(payload);
  const Eigen::LLT<Eigen::Matrix4d> factor(J);
  if (!payload.allFinite() || factor.info() != Eigen::Success)
    return Error{"payload", "no masses have these moments", "ask for a method whose answers are possible"};
  // without bounds: twice the ellipsoid that has the body's own moments as a solid, wherever it is
  const double mass = payload[core::kMass];
  const Eigen::Vector3d c = payload.segment<3>(core::kMcx) / mass;
  const Eigen::Matrix3d shape = 4 * (J.topLeftCorner<3, 3>() / mass - c * c.transpose());
  const Eigen::Matrix3d inverse = shape.inverse();
  Eigen::Matrix4d own;
  own << -inverse, inverse * c, (inverse * c).transpose(), 1 - c.dot(inverse * c);
  FourMasses found;
  Eigen::Matrix4d Q = own;
  if (bounds) {
    const Eigen::Matrix4d given = ellipsoid_matrix(bounds->centre, bounds->semi_axes, bounds->R);
    found.inside = (J * given).trace() > 0;
    if (found.inside) Q = given;
  }
  Eigen::Matrix4d V = factor.matrixL();
  equalise(Q, V);
  for (int k = 0; k < 4; ++k) {
    found.mass[k] = V(3, k) * V(3, k);
    found.at.col(k) = V.col(k).head<3>() / V(3, k);
  }
  return found;
}

}  // namespace heft
