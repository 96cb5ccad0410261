// The term that a kind of prior adds to the objective, per body (FORMULAS 2); it contains
// everything that distinguishes the kinds. Used by solvers, the gradient and error bars. Only the
// certificate implements the kinds a second time, in long double, to be independent.
#pragma once

#include <Eigen/Core>

#include "heft/solve/prior.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The cost of a body's parameters pi: its weight times a quadratic and, for some kinds, minus log
/// det (J0^-1 J), the barrier.
class PriorTerm {
 public:
  using Matrix10d = Eigen::Matrix<double, core::kNumParameters, core::kNumParameters>;

  virtual ~PriorTerm() = default;

  /// Adds the cost without its barrier to 1/2 z'Qz + c'z + constant, where pi = B z, B =
  /// body_scale(reference).
  virtual void add_to(Eigen::Ref<Matrix10d> Q, Eigen::Ref<BodyParameters> c, double& constant,
                      const Prior& prior, int body) const = 0;

  /// Returns the gradient of the cost without its barrier, with respect to pi.
  virtual BodyParameters gradient(const BodyParameters& pi, const Prior& prior, int body) const = 0;

  /// Returns W of the cost at the reference, including the barrier: (pi - pi0)' W (pi - pi0) and
  /// higher orders.
  virtual Matrix10d curvature(const Prior& prior, int body) const = 0;

  /// Returns whether the cost has a barrier; bodies then stay consistent without constraints, and
  /// all have the same weight.
  virtual bool has_barrier() const { return false; }

  /// Returns whether the cost is the squared distance from the reference in z, times the weight:
  /// strongly convex by itself, and the only kind that batches and charts support.
  virtual bool is_distance() const { return false; }

  /// Returns whether the cost depends only on J0^-1 J, so that the weight determines the size of
  /// the multipliers.
  virtual bool is_relative() const { return false; }

  /// Returns a note for users of this kind; empty: no note.
  virtual const char* warning() const { return ""; }
};

/// Returns the term of a kind; it lives as long as the program.
const PriorTerm& prior_term(PriorKind kind);

/// Returns the total cost of a body, including barrier and belief.
double prior_cost(const BodyParameters& pi, const Prior& prior, int body);

/// Returns the Gram matrix of J -> U^-1 J U^-T over the ten parameters, U U' = J0 of `reference`:
/// the curvature of the metric prior at weight 1.
PriorTerm::Matrix10d metric_curvature(const BodyParameters& reference);

}  // namespace heft
#pragma GCC visibility pop
