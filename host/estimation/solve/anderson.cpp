#include "anderson.hpp"

#include <cmath>

namespace heft::solver {

namespace {

constexpr double kRegularization = 1e-10;  // of the Gram matrix of changes, relative to its trace
constexpr double kGrowthAllowed = 2;       // of |f| over an accelerated step

// Solves the m x m system A w = b by Cholesky in place; false if A is not positive definite.
bool solve_small(Eigen::MatrixXd& A, Eigen::VectorXd& w, int m) {
  for (int j = 0; j < m; ++j) {
    for (int k = 0; k < j; ++k) A(j, j) -= A(j, k) * A(j, k);
    if (!(A(j, j) > 0)) return false;
    A(j, j) = std::sqrt(A(j, j));
    for (int i = j + 1; i < m; ++i) {
      for (int k = 0; k < j; ++k) A(i, j) -= A(i, k) * A(j, k);
      A(i, j) /= A(j, j);
    }
  }
  for (int i = 0; i < m; ++i) {
    for (int k = 0; k < i; ++k) w[i] -= A(i, k) * w[k];
    w[i] /= A(i, i);
  }
  for (int i = m - 1; i >= 0; --i) {
    for (int k = i + 1; k < m; ++k) w[i] -= A(k, i) * w[k];
    w[i] /= A(i, i);
  }
  return true;
}

}  // namespace

Anderson::Anderson(Eigen::Index size, int memory)
    : memory_(memory),
      df_(size, memory),
      dg_(size, memory),
      gram_(memory, memory),
      f_previous_(size),
      plain_previous_(size),
      system_(memory, memory),
      weights_(memory) {}

void Anderson::reset() {
  count_ = next_ = 0;
  has_previous_ = accelerated_ = false;
}

void Anderson::remember(const Eigen::VectorXd& v, const Eigen::VectorXd& f) {
  if (has_previous_ && memory_ > 0) {
    df_.col(next_) = f - f_previous_;
    dg_.col(next_) = v + f - plain_previous_;
    count_ = std::min(count_ + 1, memory_);
    for (int k = 0; k < count_; ++k)
      gram_(next_, k) = gram_(k, next_) = df_.col(next_).dot(df_.col(k));
    next_ = (next_ + 1) % memory_;
  }
  f_previous_ = f;
  plain_previous_ = v + f;
  has_previous_ = true;
}

bool Anderson::extrapolate(Eigen::VectorXd& v, const Eigen::VectorXd& f) {
  double trace = 0;
  for (int k = 0; k < count_; ++k) trace += gram_(k, k);
  for (int k = 0; k < count_; ++k) {
    for (int l = 0; l < count_; ++l) system_(k, l) = gram_(k, l);
    system_(k, k) += kRegularization * trace;
    weights_[k] = df_.col(k).dot(f);
  }
  if (!solve_small(system_, weights_, count_)) return false;
  v += f;
  for (int k = 0; k < count_; ++k) v -= weights_[k] * dg_.col(k);
  return true;
}

void Anderson::advance(Eigen::VectorXd& v, const Eigen::VectorXd& f) {
  const double norm = f.norm();
  if (accelerated_ && !(norm <= kGrowthAllowed * previous_norm_)) {
    v = plain_previous_;
    reset();
    return;
  }
  remember(v, f);
  previous_norm_ = norm;
  accelerated_ = count_ > 0 && extrapolate(v, f);
  if (!accelerated_) v = plain_previous_;
}

}  // namespace heft::solver
