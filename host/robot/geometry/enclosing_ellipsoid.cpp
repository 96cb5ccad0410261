// Khachiyan's algorithm for the ellipsoid of least volume around points, with the away steps of
// Todd and Yildirim (2007). The points q_i = [p_i; 1] get weights u, and
//
//   M = sum_i u_i q_i q_i',   kappa_i = q_i'M^-1 q_i,   d = 3 + 1
//
// The optimum has kappa_i <= d everywhere and = d where u_i > 0. From weights with all kappa_i <= d
// (1 + eps) center c = sum u_i p_i and shape S = sum u_i p_i p_i' - c c' give an ellipsoid that
// holds every point:
//
//   (p_i - c)'S^-1 (p_i - c) = kappa_i - 1 <= d (1 + eps) - 1
//
// Few points carry weight, even for large meshes: the steps run over an active set, which begins
// with extreme points and adds the farthest of the others until none is outside.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "heft/geometry/bounding.hpp"
#include "linalg/factorizations.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace heft {

namespace {

constexpr double kDim = 4;  // d
constexpr int kMaxSteps = 100000;
constexpr double kFlat = 1e-3;  // least thickness, of the largest extent

// the points in the axes of their spread, flat directions thickened by copies on both sides
struct Whitened {
  Eigen::Vector3d mean, scale;
  Eigen::Matrix3d axes;
  Eigen::Matrix4Xd q;  // homogeneous, of unit spread
};

Whitened whiten(const Eigen::Matrix3Xd& points) {
  Whitened result;
  result.mean = points.rowwise().mean();
  const Eigen::Matrix3Xd off = points.colwise() - result.mean;
  const Eigen::Matrix3d covariance = off * off.transpose() / static_cast<double>(points.cols());
  const SymmetricEigen<3> eigen(covariance);
  result.axes = eigen.eigenvectors();
  Eigen::Matrix3Xd local = result.axes.transpose() * off;
  const double extent = local.cwiseAbs().maxCoeff();
  for (int axis = 0; axis < 3; ++axis) {
    if (local.row(axis).cwiseAbs().maxCoeff() > kFlat * extent) continue;
    const Eigen::Index count = local.cols();
    local.conservativeResize(3, 2 * count);
    local.rightCols(count) = local.leftCols(count);
    local.row(axis).head(count).setConstant(kFlat * extent);
    local.row(axis).tail(count).setConstant(-kFlat * extent);
  }
  result.scale = local.cwiseAbs().rowwise().maxCoeff();
  result.q.resize(4, local.cols());
  result.q.topRows(3) = result.scale.cwiseInverse().asDiagonal() * local;
  result.q.row(3).setOnes();
  return result;
}

// of all columns of q
Eigen::VectorXd kappa_of(const Eigen::Matrix4Xd& q, const Eigen::Matrix4d& M) {
  return M.llt().matrixL().solve(q).colwise().squaredNorm();
}

Eigen::Matrix4d moments(const Eigen::Matrix4Xd& q, const Eigen::VectorXd& u) {
  return q * u.asDiagonal() * q.transpose();
}

// weights with all kappa <= d (1 + tolerance); error: not within kMaxSteps
Result<Eigen::VectorXd> optimal_weights(const Eigen::Matrix4Xd& q, double tolerance) {
  Eigen::VectorXd u = Eigen::VectorXd::Constant(q.cols(), 1 / static_cast<double>(q.cols()));
  for (int step = 0; step < kMaxSteps; ++step) {
    const Eigen::VectorXd kappa = kappa_of(q, moments(q, u));
    Eigen::Index most, least = -1;
    const double largest = kappa.maxCoeff(&most);
    for (Eigen::Index i = 0; i < u.size(); ++i) {
      if (u[i] > 0 && (least < 0 || kappa[i] < kappa[least])) least = i;
    }
    const double above = largest / kDim - 1, below = 1 - kappa[least] / kDim;
    if (above <= tolerance) return u;
    // move weight toward the farthest point, or away from the active point with the smallest kappa
    const Eigen::Index k = above >= below ? most : least;
    double move = (kappa[k] - kDim) / (kDim * (kappa[k] - 1));
    if (k == least && above < below) move = std::max(move, -u[k] / (1 - u[k]));
    u *= 1 - move;
    u[k] += move;
    if (u[k] < 1e-14) u[k] = 0;
  }
  return Error{"enclosing ellipsoid",
               fmt::format("the tolerance {:g} was not reached in {} steps", tolerance, kMaxSteps),
               "give a larger one"};
}

// the farthest points in 26 directions; all points if these do not span space
std::vector<Eigen::Index> extreme_points(const Eigen::Matrix4Xd& q) {
  std::vector<Eigen::Index> extremes;
  for (int code = 0; code < 27; ++code) {
    const Eigen::RowVector3d direction(code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1);
    if (direction.isZero()) continue;
    Eigen::Index farthest;
    (direction * q.topRows(3)).maxCoeff(&farthest);
    if (std::find(extremes.begin(), extremes.end(), farthest) == extremes.end())
      extremes.push_back(farthest);
  }
  const Eigen::Matrix4Xd chosen = q(Eigen::all, extremes);
  if (Eigen::FullPivLU<Eigen::Matrix4d>(chosen * chosen.transpose()).rank() == 4) return extremes;
  extremes.resize(static_cast<std::size_t>(q.cols()));
  for (std::size_t k = 0; k < extremes.size(); ++k) extremes[k] = static_cast<Eigen::Index>(k);
  return extremes;
}

// M of the optimal weights of all points
Result<Eigen::Matrix4d> optimal_moments(const Eigen::Matrix4Xd& q, double tolerance) {
  std::vector<Eigen::Index> active = extreme_points(q);
  for (;;) {
    const Eigen::Matrix4Xd chosen = q(Eigen::all, active);
    HEFT_TRY(weights, optimal_weights(chosen, tolerance));
    const Eigen::Matrix4d M = moments(chosen, weights);
    Eigen::Index farthest;
    const bool all_inside = kappa_of(q, M).maxCoeff(&farthest) <= kDim * (1 + tolerance);
    // those that are active are inside, but for rounding
    if (all_inside || std::find(active.begin(), active.end(), farthest) != active.end()) return M;
    active.push_back(farthest);
  }
}

}  // namespace

Result<Ellipsoid> enclosing_ellipsoid(const Eigen::Matrix3Xd& points, double tolerance) {
  if (!(tolerance > 0))
    return Error{"enclosing ellipsoid", "the tolerance must be above zero", "try 1e-3"};
  if (points.cols() == 0 || !points.allFinite())
    return Error{"enclosing ellipsoid", "needs finite points", "check the mesh"};
  if ((points.colwise() - points.col(0)).isZero(0))
    return Error{"enclosing ellipsoid", "all points coincide", "check the mesh and its scale"};

  const Whitened w = whiten(points);
  HEFT_TRY(M, optimal_moments(w.q, tolerance));
  const Eigen::Vector3d center = M.topRightCorner<3, 1>();
  const Eigen::Matrix3d covariance = M.topLeftCorner<3, 3>() - center * center.transpose();
  const Eigen::Matrix3Xd off = w.q.topRows(3).colwise() - center;
  // exactly as large as the farthest point asks
  const double reach = covariance.llt().matrixL().solve(off).colwise().squaredNorm().maxCoeff();
  const Eigen::Matrix3d B = w.axes * w.scale.asDiagonal();
  const SymmetricEigen<3> eigen(Eigen::Matrix3d(reach * B * covariance * B.transpose()));
  Ellipsoid result;
  result.center = w.mean + B * center;
  result.semi_axes = eigen.eigenvalues().reverse().cwiseSqrt();
  result.R = eigen.eigenvectors().rowwise().reverse();
  if (result.R.determinant() < 0) result.R.col(2) *= -1;
  return result;
}

}  // namespace heft
