#include "payload/point_masses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/widest.hpp"
#include "payload/point_kernels.hpp"
#include "point_mass_terms.hpp"

namespace heft::payload {

namespace {

using namespace point_terms;

constexpr int kMaxSteps = 200;
constexpr int kMaxRounds = 40;       // of multipliers
constexpr double kViolation = 1e-9;  // relative to the terms of a limit's row
constexpr int kInnerSteps = 30;
constexpr double kFlat = 1e-10;  // of a value whose steps are lost in rounding
constexpr double kRounding = 1e-12;
constexpr double kSolved = 1e-10;  // of ten equations

const PointKernels& widest_kernels() {
  return widest(kAvx512Points, kAvx2Points, kBaselinePoints);
}

/// Works in parameters scaled so that the columns of the rows have norm one.
class Solver {
 public:
  explicit Solver(const PointMassProblem& problem)
      : lambda_(problem.lambda), kernels_(widest_kernels()), num_points_(problem.B.cols()) {
    const Vector10d power = (problem.at_rest + problem.moving).diagonal().head<10>();
    scale_ = power.unaryExpr([](double p) { return p > 0 ? 1 / std::sqrt(p) : 1.0; });
    norms_ = {Norm(problem.at_rest, scale_), Norm(problem.moving, scale_)};
    B_.put(problem.B, scale_.cwiseInverse());
    for (Eigen::VectorXd* of_points : {&mu_, &pull_, &trial_, &before_})
      of_points->setZero(B_.padded());
    for (const PointMassLimit& limit : problem.limits) {
      const Vector10d row = scale_.cwiseProduct(limit.row);
      const double size = std::max(row.norm(), 1e-300);
      given_.push_back({row / size, limit.lower / size, limit.upper / size});
    }
  }

  PointMassSolution solve(double wanted) {
    start();
    evaluate();
    PointMassSolution best = descend(wanted);
    if (violation(best) > kViolation) best = keep_limits(std::move(best), wanted);
    best.x = scale_.cwiseProduct(image(best.masses));
    best.masses.conservativeResize(num_points_);
    return best;
  }

 private:
  /// Iterates from mu_ to the optimum, including the squares of the limits.
  PointMassSolution descend(double wanted) {
    PointMassSolution best;
    best.objective = std::numeric_limits<double>::infinity();
    best.bound = -best.objective;
    for (; best.steps < kMaxSteps; ++best.steps) {
      if (objective_ < best.objective) best.objective = objective_, best.masses = mu_;
      best.bound = std::max(best.bound, bound_);
      best.converged = best.objective - best.bound <= wanted * best.objective;
      if (best.converged) break;
      if (newton()) continue;
      majorise();
      evaluate();
    }
    best.bound = std::min(best.bound, best.objective);  // at the optimum they differ by rounding
    return best;
  }

  /// The optimum within the limits, from the free one. Not converged if it may not exist.
  PointMassSolution keep_limits(PointMassSolution free, double wanted) {
    constexpr double kFirst = 10, kGrow = 10, kEnough = 0.1, kMaxGrowth = 1e4;
    limits_ = given_;
    mu_ = free.masses;
    weight_ = 0;
    for (int k = 0; k < 2; ++k)
      if (norms_[k].exists) weight_ += kFirst / sizes_[k];
    const double most = kMaxGrowth * weight_;
    double bound = -std::numeric_limits<double>::infinity();
    PointMassSolution best;
    int steps = free.steps;
    double before = violation(free);
    for (int round = 0; round < kMaxRounds; ++round) {
      evaluate();
      lagrangian_ = -std::numeric_limits<double>::infinity();
      best = descend(0.1 * wanted);
      steps += best.steps;
      mu_ = best.masses;
      evaluate();
      double penalty = 0;
      for (const Limit& limit : limits_) penalty += limit.penalty(x_, weight_);
      best.objective = objective_ - penalty;  // of the masses alone
      bound = std::max(bound, lagrangian_);
      best.bound = std::min(bound, best.objective);
      const double now = violation(best);
      best.converged = now <= kViolation && best.objective - best.bound <= wanted * best.objective;
      if (best.converged || !std::isfinite(objective_)) break;
      for (Limit& limit : limits_)
        limit.multiplier = weight_ * limit.missed(limit.row.dot(x_), weight_);
      if (now > std::max(kEnough * before, kViolation)) weight_ = std::min(most, kGrow * weight_);
      before = now;
    }
    best.steps = steps;
    return best;
  }

  double violation(const PointMassSolution& solution) const {
    const Vector10d x = image(solution.masses);
    double largest = 0;
    for (const Limit& limit : given_) largest = std::max(largest, limit.violation(x));
    return largest;
  }

  Vector10d image(const Eigen::VectorXd& mu) const {
    Vector10d x;
    kernels_.image(B_.data(), B_.padded(), mu.data(), x.data());
    return x;
  }

  Vector10d times(const Small& symmetric, const Vector10d& x) const {
    double y[kStride];
    kernels_.combine(10, kStride, symmetric.data(), x.data(), y);
    return Eigen::Map<const Vector10d>(y);
  }

  /// Equal masses whose sum fits the rows.
  void start() {
    mu_.head(num_points_).setOnes();
    const Vector10d x = image(mu_);
    double curvature = 0, slope = 0;
    for (const Norm& norm : norms_) curvature += x.dot(norm.G * x), slope += norm.h.dot(x);
    mu_ *= curvature > 0 && slope > 0 ? slope / curvature : 1.0;
  }

  double objective_of(const Vector11d& r0, const Vector11d& r1, double size_of_mu,
                      const Vector10d& x) const {
    double penalty = 0;
    for (const Limit& limit : limits_) penalty += limit.penalty(x, weight_);
    return norms_[0].size(r0) + norms_[1].size(r1) + lambda_ * size_of_mu + penalty;
  }

  /// Objective, slope y, its pull max(0, -B'y) on the points and the lower bound at mu.
  void evaluate() {
    x_ = image(mu_);
    y_.setZero();
    double u_dot_b = 0;
    mu_norm_ = mu_.norm();
    objective_ = lambda_ * mu_norm_;
    for (int k = 0; k < 2; ++k) {
      if (!norms_[k].exists) continue;
      const Vector11d& r = residuals_[k] = norms_[k].residual(kernels_, x_);
      sizes_[k] = norms_[k].size(r);
      objective_ += sizes_[k];
      slopes_[k] = norms_[k].transposed_times(kernels_, r) / sizes_[k];
      y_ += slopes_[k];
      u_dot_b += norms_[k].c.dot(r) / sizes_[k];
    }
    for (const Limit& limit : limits_) {
      const double by = limit.missed(limit.row.dot(x_), weight_), push = weight_ * by;
      objective_ += 0.5 * push * by;
      y_ += push * limit.row;
      if (push != 0) u_dot_b += push * (push > 0 ? limit.upper : limit.lower);
    }
    pull_norm_ =
        std::sqrt(kernels_.pull(B_.data(), B_.padded(), y_.data(), pull_.data(), pulled_.data()));
    const double share = pull_norm_ > lambda_ ? lambda_ / pull_norm_ : 1.0;
    bound_ = -u_dot_b * share;
    lagrangian_ = std::max(lagrangian_, bound_);
    for (const Limit& limit : limits_) {  // of the squares: their multipliers may differ from the
                                          // given ones
      const double push = share * weight_ * limit.missed(limit.row.dot(x_), weight_);
      bound_ -= push * (0.5 * push - limit.multiplier) / weight_;
    }
  }

  /// One step of Newton's method on y and tau, evaluated where it ends; false, and nothing changed,
  /// if it does not descend.
  bool newton() {
    if (!(pull_norm_ > 0)) return false;
    const double tau = mu_norm_ / pull_norm_;
    // z = B mu with mu = tau max(0, -B'y), y = grad at z, about z = x
    Small H;
    H.topLeft().setZero();
    for (int k = 0; k < 2; ++k)
      if (norms_[k].exists)
        H.topLeft() +=
            (1 / sizes_[k]) * (norms_[k].G - slopes_[k].lazyProduct(slopes_[k].transpose()));
    for (const Limit& limit : limits_)
      if (limit.missed(limit.row.dot(x_), weight_) != 0)
        H.topLeft() += weight_ * limit.row.lazyProduct(limit.row.transpose());
    kernels_.active_product(B_.data(), B_.padded(), pull_.data(), N_.data());
    kernels_.one_plus_product(tau, N_.data(), H.data(), K_.data());
    for (int k = 0; k < 10; ++k) K_(k, 10) = -pulled_[k];
    const Vector10d last = -times(H, pulled_);
    for (int k = 0; k < 10; ++k) K_(10, k) = last[k];
    K_(10, 10) = 0;
    Vector11d step;
    step << tau * pulled_ - x_, 0.5 * (lambda_ * lambda_ - pull_norm_ * pull_norm_);
    if (!kernels_.solve(11, K_.data(), step.data())) return false;
    if (!step.allFinite() || !(tau + step[10] > 0)) return false;
    const Vector10d y = y_ + times(H, step.head<10>());
    Vector10d target;
    kernels_.pull(B_.data(), B_.padded(), y.data(), trial_.data(), target.data());
    target *= tau + step[10];
    trial_ = (tau + step[10]) * trial_ - mu_;
    before_ = mu_;
    const Vector10d x_before = x_, way = target - x_;
    const Vector11d from[2] = {residuals_[0], residuals_[1]},
                    moves[2] = {norms_[0].times(kernels_, way), norms_[1].times(kernels_, way)};
    const double objective = objective_, bound = bound_;
    for (const double share : {1.0, 0.5, 0.25, 0.0625}) {
      mu_ = before_ + share * trial_;
      const double there = objective_of(from[0] + share * moves[0], from[1] + share * moves[1],
                                        mu_.norm(), x_before + share * way);
      if (!(there <= objective * (1 + kFlat))) continue;
      evaluate();
      // near the optimum the objective is flat, so that the bound must increase
      if (objective_ < objective * (1 - kRounding) ||
          objective_ - bound_ < 0.9 * (objective - bound))
        return true;
    }
    mu_ = before_;
    evaluate();
    return false;
  }

  /// The minimum of the majoriser at mu, min 1/2 |F x - f|^2 + |mu|^2 / (2 tau), by Newton's method
  /// on its dual: x = B mu with mu = tau max(0, -B'y), y = F'u, u = F z - f, is z. Residuals u are
  /// moved, not made again, so that nothing cancels.
  void majorise() {
    Factor F;
    Small G;
    G.topLeft().setZero();
    for (int k = 0; k < 2; ++k) {
      if (!norms_[k].exists) continue;
      F.put(k, norms_[k].R() / std::sqrt(sizes_[k]), norms_[k].c / std::sqrt(sizes_[k]));
      G.topLeft() += norms_[k].G / sizes_[k];
    }
    if (!limits_.empty()) put_with_limits(F, G);
    const double tau = std::max(mu_norm_, 1e-12) / lambda_;
    Vector10d z = x_, left;
    Factor::Residual u = F.times(kernels_, z) - F.f;
    Eigen::VectorXd& p = trial_;
    const auto dual = [&] {  // at z
      const Vector10d y = F.transposed_times(kernels_, u);
      const double size2 =
          kernels_.pull(B_.data(), B_.padded(), y.data(), p.data(), pulled_.data());
      left = tau * pulled_ - z;
      return u.dot(0.5 * u + F.f) + 0.5 * tau * size2;
    };
    double value = dual();
    for (int inner = 0; inner < kInnerSteps; ++inner) {
      kernels_.active_product(B_.data(), B_.padded(), p.data(), N_.data());
      kernels_.one_plus_product(tau, N_.data(), G.data(), K_.data());
      Vector10d step = left;
      if (!kernels_.solve(10, K_.data(), step.data())) break;
      const Vector10d z0 = z;
      const Factor::Residual u0 = u, F_step = F.times(kernels_, step);
      const double slope = -F_step.dot(F.times(kernels_, left)), size = left.norm();
      const bool is_flat = !(slope < -kFlat * std::abs(value));  // there the equations must get
                                                                 // better
      const auto moved = [&](double share) {
        return z = z0 + share * step, u = u0 + share * F_step, dual();
      };
      double next = moved(1);
      for (double share = 0.5; !is_flat && share > 1e-14 && !(next <= value + 2e-4 * share * slope);
           share /= 2)
        next = moved(share);
      if (is_flat ? !(left.norm() < 0.5 * size) : !(next < value)) {
        moved(0);
        break;
      }
      value = next;
      if (left.norm() <= kSolved * z.norm()) break;
    }
    p *= tau;
    // where the objective is flat, the bound may still increase and a new limit may become active
    const Vector10d x = tau * pulled_;
    for (double share = 1; share > 1e-3; share = limits_.empty() ? 0 : share / 2) {
      const Vector10d there = x_ + share * (x - x_);
      before_ = mu_ + share * (p - mu_);
      if (objective_of(norms_[0].residual(kernels_, there), norms_[1].residual(kernels_, there),
                       before_.norm(), there) <= objective_ * (1 + kFlat)) {
        mu_.swap(before_);
        return;
      }
    }
  }

  /// Adds the second norm and the squares of active limits to the first norm.
  void put_with_limits(Factor& F, Small& G) const {
    Matrix11d gram = Matrix11d::Zero();
    const auto add = [&](const Eigen::Matrix<double, Eigen::Dynamic, 11>& rows) {
      gram += rows.transpose() * rows;
    };
    for (int k = 0; k < 2; ++k) {
      if (!norms_[k].exists) continue;
      Eigen::Matrix<double, Eigen::Dynamic, 11> rows(11, 11);
      rows << norms_[k].R(), norms_[k].c;
      add(rows / std::sqrt(sizes_[k]));
    }
    for (const Limit& limit : limits_) {
      const double value = limit.row.dot(x_), by = limit.missed(value, weight_);
      if (by == 0) continue;
      Eigen::Matrix<double, Eigen::Dynamic, 11> row(1, 11);
      row << limit.row.transpose(), value - by;
      add(row * std::sqrt(weight_));
    }
    const Matrix11d root = root_of(gram);
    F.put(0, root.leftCols<10>(), root.col(10));
    F.put(1, Eigen::Matrix<double, 11, 10>::Zero(), Vector11d::Zero());
    G.topLeft() = gram.topLeftCorner<10, 10>();
  }

  double lambda_;
  const PointKernels& kernels_;
  Eigen::Index num_points_;
  Vector10d scale_;
  std::vector<Norm> norms_;
  std::vector<Limit> given_,
      limits_;         ///< limits_: those that count, once the free optimum breaks one
  double weight_ = 1;  ///< rho
  PointRows B_;
  Eigen::VectorXd mu_, pull_, trial_, before_;  // a number a point; those that fill up are zero
  Small N_, K_;
  Vector10d x_, y_, pulled_, slopes_[2];  // pulled_: B times the pull
  Vector11d residuals_[2] = {Vector11d::Zero(), Vector11d::Zero()};
  double sizes_[2] = {0, 0}, objective_ = 0, bound_ = 0, mu_norm_ = 0, pull_norm_ = 0;
  double lagrangian_ = 0;  ///< the highest lower bound within the limits, of what
                           ///< was evaluated
};

}  // namespace

PointMassSolution solve_point_masses(const PointMassProblem& problem, double gap) {
  return Solver(problem).solve(gap);
}

}  // namespace heft::payload
