// Nesterov-Todd scaling of a second-order cone [Vandenberghe 2010, The CVXOPT linear and quadratic
// cone program solvers]: with J = diag(1, -1, .. -1), |x|_J^2 = x'Jx and s_, z_ slack and
// multiplier over their |.|_J,
//
//   g = sqrt((1 + s_'z_) / 2),   w = (s_ + J z_) / (2 g),   b^2 = |s|_J / |z|_J
//   W = b (2 v v' - J),   v = (w + e) / sqrt(2 (w_0 + 1)),   e = (1, 0, .. 0)
//   W^-1 s = W z, the scaled point l
//
// The Jordan product is a o b = (a'b, a_0 b_tail + b_0 a_tail), its unit e.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <limits>

namespace heft::solver {

/// The interface of NesterovTodd (nesterov_todd.hpp); vectors have the cone's length.
class SecondOrderScaling {
  using Vector = Eigen::VectorXd;

  template <class V>
  static auto tail(const V& v) {
    return v.tail(v.size() - 1);
  }

 public:
  explicit SecondOrderScaling(int size) : v_(size), point_(size) {}

  bool compute(const double* slack, const double* lambda) {
    const auto s = vector(slack), z = vector(lambda);
    const double s2 = squared(s), z2 = squared(z);
    if (!(s[0] > 0) || !(z[0] > 0) || !(s2 > 0) || !(z2 > 0)) return false;
    const double s_length = std::sqrt(s2), z_length = std::sqrt(z2);
    const double gamma = std::sqrt(0.5 * (1 + s.dot(z) / (s_length * z_length)));
    v_ = s / s_length;
    v_ += reflected(z / z_length);
    v_ /= 2 * gamma;
    v_[0] += 1;
    v_ /= std::sqrt(2 * v_[0]);
    root_ = std::sqrt(s_length / z_length);
    size_ = std::sqrt(s_length * z_length);
    point_ = root_ * (2 * v_ * v_.dot(z) - reflected(z));
    return point_.allFinite() && size_ > 0;
  }

  /// W^-1 ds.
  void scale_slack(const double* step, double* out) const { put(inverse_times(vector(step)), out); }

  /// W^-1 u as well: W is symmetric.
  void to_multiplier(const double* scaled, double* out) const {
    put(inverse_times(vector(scaled)), out);
  }

  double longest_step(const double* direction) const {
    // the direction in the frame where the point is |l|_J e
    const auto d = vector(direction);
    const Eigen::VectorXd unit = point_ / size_;
    const double along = (unit[0] * d[0] - tail(unit).dot(tail(d))) / size_;
    const Eigen::VectorXd across =
        tail(d) / size_ - (along + d[0] / size_) / (unit[0] + 1) * tail(unit);
    const double leaves = across.norm() - along;
    return leaves > 0 ? 1 / leaves : std::numeric_limits<double>::infinity();
  }

  /// Returns u with l o u = target e - l o l - a o b.
  void complementarity(double target, const double* a, const double* b, double* out) const {
    Eigen::VectorXd rest = -product(point_, point_) - product(vector(a), vector(b));
    rest[0] += target;
    // by the arrow matrix of l
    Eigen::VectorXd u(rest.size());
    u[0] = (point_[0] * rest[0] - tail(point_).dot(tail(rest))) / (size_ * size_);
    u.tail(u.size() - 1) = (tail(rest) - u[0] * tail(point_)) / point_[0];
    put(u, out);
  }

  void put_point(double* out) const { put(point_, out); }

  /// W^-2.
  Eigen::MatrixXd curvature() const {
    const Eigen::VectorXd Jv = reflected(v_);
    Eigen::MatrixXd inverse = 2 * Jv * Jv.transpose();
    inverse.diagonal().array() += 1;
    inverse(0, 0) -= 2;
    return inverse * inverse / (root_ * root_);
  }

 private:
  Eigen::Map<const Vector> vector(const double* v) const { return {v, v_.size()}; }
  static void put(const Vector& v, double* out) { Eigen::Map<Vector>(out, v.size()) = v; }
  static Vector reflected(const Vector& v) {
    Vector result = -v;
    result[0] = v[0];
    return result;
  }
  /// v'Jv without cancellation.
  template <class V>
  static double squared(const V& v) {
    const double length = tail(v).norm();
    return (v[0] - length) * (v[0] + length);
  }
  static Vector product(const Vector& a, const Vector& b) {
    Vector result = a[0] * b + b[0] * a;
    result[0] = a.dot(b);
    return result;
  }
  /// J (2 v v' - J) J / b x.
  Vector inverse_times(const Vector& x) const {
    return (2 * reflected(v_) * reflected(v_).dot(x) - reflected(x)) / root_;
  }

  Vector v_;
  Vector point_;     // l
  double root_ = 1;  // b
  double size_ = 0;  // |l|_J
};

}  // namespace heft::solver
