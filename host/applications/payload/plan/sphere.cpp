#include "sphere.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "linalg/factorizations.hpp"
#include "linalg/minimum_norm.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "uncertainty/quantiles.hpp"

namespace heft::payload {

namespace {

constexpr Eigen::Index kMinPoses = 6;
constexpr double kAround = 0.02;  // least share of the directions' spread that one of them must
                                  // have
constexpr int kSteps = 50;

struct Sphere {
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  double radius = 0, sd = 0;                             ///< of the residual along the radius [N]
  Eigen::Matrix4d covariance = Eigen::Matrix4d::Zero();  ///< of center and radius
};

/// |f|^2 = 2 c'f + (r^2 - |c|^2), linear in c and the bracket.
Sphere algebraic(const Eigen::MatrixX3d& f) {
  Eigen::MatrixX4d rows(f.rows(), 4);
  rows << 2 * f, Eigen::VectorXd::Ones(f.rows());
  const Eigen::Vector4d found = minimum_norm_solution(rows, f.rowwise().squaredNorm());
  return {found.head<3>(), std::sqrt(std::max(found[3] + found.head<3>().squaredNorm(), 0.0))};
}

/// Gauss-Newton on sum (|f - c| - r)^2, from the algebraic sphere.
Sphere geometric(const Eigen::MatrixX3d& f) {
  Sphere sphere = algebraic(f);
  Eigen::MatrixX4d rows(f.rows(), 4);
  Eigen::VectorXd left(f.rows());
  for (int step = 0; step < kSteps; ++step) {
    for (Eigen::Index i = 0; i < f.rows(); ++i) {
      const Eigen::Vector3d v = f.row(i).transpose() - sphere.center;
      left[i] = v.norm() - sphere.radius;
      rows.row(i) << -v.normalized().transpose(), -1;
    }
    const Eigen::Vector4d change = minimum_norm_solution(rows, -left);
    sphere.center += change.head<3>(), sphere.radius += change[3];
    if (change.norm() <= 1e-12 * (sphere.radius + sphere.center.norm())) break;
  }
  const auto freedom = static_cast<double>(f.rows() - 4);
  sphere.sd = freedom > 0 ? std::sqrt(left.squaredNorm() / freedom) : std::nan("");
  sphere.covariance = sphere.sd * sphere.sd * (rows.transpose() * rows).inverse();
  return sphere;
}

}  // namespace

Result<WrenchSamples> poses_by_force(const Eigen::ArrayXXd& wrench, double gravity) {
  const char* remedy =
      "take six or more poses in which gravity points in all directions of "
      "the sensor's frame, or log the orientation r11..r33";
  const Eigen::Index n = wrench.rows();
  if (n < kMinPoses)
    return Error{"payload", "too few poses without orientations: " + std::to_string(n), remedy};
  const Eigen::MatrixX3d f = wrench.leftCols(3).matrix();
  const Eigen::Matrix3d spread =
      (f.rowwise() - f.colwise().mean()).transpose() * (f.rowwise() - f.colwise().mean());
  const SymmetricEigen<3> eigen(spread, Eigen::EigenvaluesOnly);
  const Sphere sphere = geometric(f);
  if (!(eigen.eigenvalues()[0] > kAround * eigen.eigenvalues()[2]) || !(sphere.radius > 0) ||
      !sphere.center.allFinite() ||
      !(sphere.covariance.diagonal().array() < sphere.radius * sphere.radius).all())
    return Error{"payload",
                 "the forces do not cover a sphere, which is needed to determine weight "
                 "and offset without orientations",
                 remedy};
  Eigen::ArrayXXd down(n, 3);
  for (Eigen::Index i = 0; i < n; ++i)
    down.row(i) =
        -gravity * (f.row(i).transpose() - sphere.center).normalized().transpose().array();
  HEFT_TRY(samples, make_pose_samples(down, wrench));
  samples.is_oriented_by_force = true;
  return samples;
}

SphereIntervals sphere_intervals(const WrenchSamples& samples) {
  const Eigen::Index n = samples.size();
  const Eigen::MatrixX3d f = samples.wrench.leftCols(3).matrix();
  const Sphere sphere = geometric(f);
  const double gravity = samples.gravity.square().rowwise().sum().sqrt().mean();
  SphereIntervals intervals;
  if (n <= 6 || !(gravity > 0)) return intervals;
  const double quantile = student_quantile(0.975, static_cast<double>(n - 4));
  const double half = quantile * std::sqrt(sphere.covariance(3, 3)) / gravity;
  intervals.mass = {std::max(sphere.radius / gravity - half, 0.0), sphere.radius / gravity + half};
  // n = c x v + b_n about the means; v = f - b_f
  Eigen::Matrix3d gram = Eigen::Matrix3d::Zero();
  Eigen::Vector3d right = Eigen::Vector3d::Zero();
  const Eigen::RowVector3d mean_f = f.colwise().mean();
  const Eigen::MatrixX3d torque = samples.wrench.rightCols(3).matrix();
  const Eigen::RowVector3d mean_n = torque.colwise().mean();
  const auto row = [&](Eigen::Index i) {  // -[v]x
    const Eigen::Vector3d v = (f.row(i) - mean_f).transpose();
    Eigen::Matrix3d minus;
    minus << 0, v.z(), -v.y(), -v.z(), 0, v.x(), v.y(), -v.x(), 0;
    return minus;
  };
  for (Eigen::Index i = 0; i < n; ++i) {
    gram += row(i).transpose() * row(i);
    right += row(i).transpose() * (torque.row(i) - mean_n).transpose();
  }
  const Eigen::Vector3d com = gram.ldlt().solve(right);
  double left = 0;
  for (Eigen::Index i = 0; i < n; ++i)
    left += ((torque.row(i) - mean_n).transpose() - row(i) * com).squaredNorm();
  const double freedom = static_cast<double>(3 * n - 6);
  const Eigen::Matrix3d covariance = left / freedom * gram.inverse();
  for (int axis = 0; axis < 3; ++axis) {
    const double width = student_quantile(0.975, freedom) * std::sqrt(covariance(axis, axis));
    intervals.com[static_cast<std::size_t>(axis)] = {com[axis] - width, com[axis] + width};
  }
  return intervals;
}

}  // namespace heft::payload
