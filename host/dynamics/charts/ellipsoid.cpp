#include "charts/ellipsoid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number_text.hpp"
#include "heft/charts/chart.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace heft {

namespace {

double form(const Eigen::Vector4d& v, const Eigen::Matrix4d& Q) {
  return v.dot(Q * v);
}

/// Turns the columns i and j of F, on both sides of the level, until that of i is on it.
void turn_onto(double level, const Eigen::Matrix4d& Q, Eigen::Matrix4d& F, int i, int j) {
  // (u + t w)' Q (u + t w) = level (1 + t^2)
  const Eigen::Vector4d u = F.col(i), w = F.col(j);
  const double a = form(w, Q) - level, b = u.dot(Q * w), c = form(u, Q) - level;
  const double root = std::sqrt(std::max(0.0, b * b - a * c));
  const double t = b > 0 ? -c / (b + root) : c / (root - b);  // the smaller solution of a t^2 + 2 b
                                                              // t + c = 0
  const double cosine = 1 / std::sqrt(1 + t * t);
  F.col(i) = cosine * (u + t * w);
  F.col(j) = cosine * (w - t * u);
}

}  // namespace

double ellipsoid_margin(const BodyParameters& parameters, const Eigen::Matrix4d& Q) {
  const double mass = parameters[core::kMass];
  if (mass == 0) return std::numeric_limits<double>::quiet_NaN();
  return pseudo_inertia(parameters).cwiseProduct(Q).sum() / mass;
}

Result<std::vector<PointMass>> masses_within(const BodyParameters& parameters,
                                             const Eigen::Matrix4d& Q) {
  if (status_of(parameters) == BodyStatus::impossible || !(parameters[core::kMass] > 0))
    return Error{"body", "is not physically consistent or has no mass",
                 "give a physically consistent body with positive mass"};
  const double margin = ellipsoid_margin(parameters, Q);
  // rounding error of a body on the surface
  const double blur = 64 * std::numeric_limits<double>::epsilon() * Q.cwiseAbs().sum();
  if (!(margin >= -blur))
    return Error{
        "body",
        "does not fit in the ellipsoid: its margin is " + number_text(margin, 3) + " of its mass",
        "make the ellipsoid larger"};
  const SymmetricEigen<4> eigen(pseudo_inertia(parameters));
  const Eigen::Vector4d roots = eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt();
  Eigen::Matrix4d F = eigen.eigenvectors() * roots.asDiagonal();
  double level = 0;
  for (int i = 0; i < 4; ++i) level += form(F.col(i), Q) / 4;
  for (int i = 0; i < 3; ++i) {
    // among those that are left: the farthest above goes onto the level, with the help of the
    // farthest below
    int above = i, below = i;
    for (int k = i + 1; k < 4; ++k) {
      if (form(F.col(k), Q) > form(F.col(above), Q)) above = k;
      if (form(F.col(k), Q) < form(F.col(below), Q)) below = k;
    }
    if (above == below) continue;
    turn_onto(level, Q, F, above, below);
    F.col(i).swap(F.col(above));
  }
  std::vector<PointMass> masses;
  for (int i = 0; i < 4; ++i) {
    const double w = F(3, i);
    if (w * w <= std::numeric_limits<double>::epsilon() * parameters[core::kMass] * 1e-3)
      continue;  // of a body of fewer points
    masses.push_back({w * w, F.col(i).head<3>() / w});
  }
  return masses;
}

}  // namespace heft
