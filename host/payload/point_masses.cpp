#include "payload/point_masses.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace heft::payload {

namespace {

using Vector10d = BodyParameters;
using Matrix10d = Eigen::Matrix<double, 10, 10>;
using Vector11d = Eigen::Matrix<double, 11, 1>;
using Columns = Eigen::Matrix<double, 10, Eigen::Dynamic>;

constexpr int kMaxSteps = 200;
constexpr int kInnerSteps = 30;
constexpr double kFlat = 1e-10;  // of a value whose steps are lost in rounding
constexpr double kRounding = 1e-12;
constexpr double kLeast = 1e-13;  // of |b|: a residual below it is rounding

/// One norm |A x - b| by a factor of its squares, so that nothing cancels: |R x - c|, and G = R'R, h = R'c.
struct Norm {
  Eigen::Matrix<double, 11, 10> R;
  Vector11d c = Vector11d::Zero();
  Matrix10d G;
  Vector10d h;
  bool exists = false;

  Norm(const Matrix11d& gram, const Vector10d& scale) {
    const Eigen::LDLT<Matrix11d> factor(gram);
    const Matrix11d half =
        Matrix11d(factor.matrixL()) * factor.vectorD().cwiseMax(0).cwiseSqrt().asDiagonal();
    const Matrix11d root = (factor.transpositionsP().transpose() * half).transpose();
    R = root.leftCols<10>() * scale.asDiagonal();
    c = root.col(10);
    G = R.transpose() * R;
    h = R.transpose() * c;
    exists = gram.diagonal().maxCoeff() > 0;
  }
  Vector11d residual(const Vector10d& x) const { return R * x - c; }
  double size(const Vector10d& x) const { return std::max(residual(x).norm(), kLeast * c.norm() + 1e-300); }
};

/// Everything in parameters scaled so that columns of the rows have norm one.
class Solver {
 public:
  explicit Solver(const PointMassProblem& problem) : lambda_(problem.lambda) {
    const Vector10d power = (problem.at_rest + problem.moving).diagonal().head<10>();
    scale_ = power.unaryExpr([](double p) { return p > 0 ? 1 / std::sqrt(p) : 1.0; });
    norms_ = {Norm(problem.at_rest, scale_), Norm(problem.moving, scale_)};
    B_ = scale_.cwiseInverse().asDiagonal() * problem.B;
  }

  PointMassSolution solve(double wanted) {
    PointMassSolution best;
    best.objective = std::numeric_limits<double>::infinity();
    best.bound = -best.objective;
    start();
    for (; best.steps < kMaxSteps; ++best.steps) {
      evaluate();
      if (objective_ < best.objective) best.objective = objective_, best.masses = mu_;
      best.bound = std::max(best.bound, bound_);
      best.converged = best.objective - best.bound <= wanted * best.objective;
      if (best.converged) break;
      if (!newton()) majorise();
    }
    best.x = scale_.cwiseProduct(B_ * best.masses);
    return best;
  }

 private:
  /// Equal masses that weigh what the rows say.
  void start() {
    mu_.setOnes(B_.cols());
    const Vector10d x = B_ * mu_;
    double curvature = 0, slope = 0;
    for (const Norm& norm : norms_) curvature += (norm.R * x).squaredNorm(), slope += norm.h.dot(x);
    mu_ *= curvature > 0 && slope > 0 ? slope / curvature : 1.0;
  }

  double objective_of(const Eigen::VectorXd& mu) const {
    const Vector10d x = B_ * mu;
    return norms_[0].size(x) + norms_[1].size(x) + lambda_ * mu.norm();
  }

  /// Objective, slope y and lower bound at mu.
  void evaluate() {
    x_ = B_ * mu_;
    y_.setZero();
    double u_dot_b = 0;
    objective_ = lambda_ * mu_.norm();
    for (int k = 0; k < 2; ++k) {
      if (!norms_[k].exists) continue;
      const Vector11d r = norms_[k].residual(x_);
      sizes_[k] = norms_[k].size(x_);
      objective_ += sizes_[k];
      y_ += norms_[k].R.transpose() * r / sizes_[k];
      u_dot_b += norms_[k].c.dot(r) / sizes_[k];
    }
    pull_ = (-B_.transpose() * y_).cwiseMax(0);
    const double size = pull_.norm();
    bound_ = -u_dot_b * (size > lambda_ ? lambda_ / size : 1.0);
  }

  /// One step of Newton's method on y and tau; false, and nothing changed, if it does not descend.
  bool newton() {
    const double size = pull_.norm();
    if (!(size > 0)) return false;
    const double tau = mu_.norm() / size;
    // z = B mu with mu = tau max(0, -B'y), y = grad at z, about z = x
    const Eigen::VectorXd p = pull_;
    const Vector10d Bp = B_ * p;
    Matrix10d H = Matrix10d::Zero();
    for (int k = 0; k < 2; ++k) {
      if (!norms_[k].exists) continue;
      const Vector10d g = norms_[k].R.transpose() * norms_[k].residual(x_) / sizes_[k];
      H += (norms_[k].G - g * g.transpose()) / sizes_[k];
    }
    Matrix11d K = Matrix11d::Zero();
    K.topLeftCorner<10, 10>() = Matrix10d::Identity() + tau * active_product(p) * H;
    K.topRightCorner<10, 1>() = -Bp;
    K.bottomLeftCorner<1, 10>() = -Bp.transpose() * H;
    Vector11d right;
    right << tau * Bp - x_, 0.5 * (lambda_ * lambda_ - p.squaredNorm());
    const Vector11d step = K.partialPivLu().solve(right);
    if (!step.allFinite() || !(tau + step[10] > 0)) return false;
    const Eigen::VectorXd target =
        (tau + step[10]) * (-B_.transpose() * (y_ + H * step.head<10>())).cwiseMax(0);
    const Eigen::VectorXd before = mu_;
    const double objective = objective_, bound = bound_;
    for (const double share : {1.0, 0.5, 0.25, 0.0625}) {
      mu_ = before + share * (target - before);
      if (!(objective_of(mu_) <= objective * (1 + kFlat))) continue;
      evaluate();
      // near the optimum the objective is flat: there the bound has to rise
      if (objective_ < objective * (1 - kRounding) || objective_ - bound_ < 0.9 * (objective - bound))
        return true;
    }
    mu_ = before;
    evaluate();
    return false;
  }

  /// B_a B_a' of the points whose mass is above zero.
  Matrix10d active_product(const Eigen::VectorXd& p) {
    active_.resize(10, B_.cols());
    Eigen::Index count = 0;
    for (Eigen::Index i = 0; i < p.size(); ++i)
      if (p[i] > 0) active_.col(count++) = B_.col(i);
    Matrix10d N = Matrix10d::Zero();
    N.selfadjointView<Eigen::Lower>().rankUpdate(active_.leftCols(count));
    return N.selfadjointView<Eigen::Lower>();
  }

  /// The minimum of the majoriser at mu, by Newton's method on its dual, min 1/2 z'Gz + tau/2 |max(0, -B'(Gz - h))|^2.
  void majorise() {
    Matrix10d G = Matrix10d::Zero();
    Vector10d h = Vector10d::Zero();
    for (int k = 0; k < 2; ++k)
      if (norms_[k].exists) G += norms_[k].G / sizes_[k], h += norms_[k].h / sizes_[k];
    const double tau = std::max(mu_.norm(), 1e-12) / lambda_;
    Vector10d z = x_;
    Eigen::VectorXd p;
    const auto dual_at = [&](const Vector10d& at) {
      p = (-B_.transpose() * (G * at - h)).cwiseMax(0);
      return 0.5 * at.dot(G * at) + 0.5 * tau * p.squaredNorm();
    };
    double dual = dual_at(z);
    Vector10d left = tau * (B_ * p) - z;
    for (int inner = 0; inner < kInnerSteps; ++inner) {
      const Vector10d step = (Matrix10d::Identity() + tau * active_product(p) * G).partialPivLu().solve(left);
      const double slope = -step.dot(G * left), size = left.norm();
      const Vector10d before = z;
      const bool is_flat = !(slope < -kFlat * std::abs(dual));  // there the equations have to get better
      double next = dual_at(z = before + step);
      for (double share = 0.5; !is_flat && share > 1e-14 && !(next <= dual + 2e-4 * share * slope);
           share /= 2)
        next = dual_at(z = before + share * step);
      left = tau * (B_ * p) - z;
      if (is_flat ? !(left.norm() < 0.5 * size) : !(next < dual)) {
        dual_at(z = before);
        break;
      }
      dual = next;
    }
    const Eigen::VectorXd mu = tau * p;
    if (objective_of(mu) <= objective_ * (1 + kRounding)) mu_ = mu;
  }

  double lambda_;
  Vector10d scale_;
  std::vector<Norm> norms_;
  Columns B_, active_;
  Eigen::VectorXd mu_, pull_;
  Vector10d x_, y_;
  double sizes_[2] = {0, 0}, objective_ = 0, bound_ = 0;
};

}  // namespace

PointMassSolution solve_point_masses(const PointMassProblem& problem, double gap) {
  return Solver(problem).solve(gap);
}

}  // namespace heft::payload
