// What a kind of prior adds to the objective, body by body (FORMULAS 2): all that tells one kind
// from another. Solvers, the gradient and error bars ask here; the certificate alone states the
// kinds once more, in long double, because it referees.
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

  /// Of the cost without its barrier, by pi.
  virtual BodyParameters gradient(const BodyParameters& pi, const Prior& prior, int body) const = 0;

  /// W of the cost at the reference, barrier included: (pi - pi0)' W (pi - pi0) and higher orders.
  virtual Matrix10d curvature(const Prior& prior, int body) const = 0;

  /// Then bodies stay possible by themselves, and one weight holds for all.
  virtual bool has_barrier() const { return false; }

  /// In z the squared distance from the reference, times the weight: by itself strongly convex, and
  /// all that batches and charts know.
  virtual bool is_distance() const { return false; }

  /// Whether the cost is a pure number of J0^-1 J, so that the weight says of what size multipliers
  /// are.
  virtual bool is_relative() const { return false; }

  /// A note for users of this kind; empty: none.
  virtual const char* warning() const { return ""; }
};

/// The one of a kind; lives as long as the program.
const PriorTerm& prior_term(PriorKind kind);

/// What a body costs altogether, barrier and belief included.
double prior_cost(const BodyParameters& pi, const Prior& prior, int body);

/// Gram matrix of J -> U^-1 J U^-T over the ten parameters, U U' = J0 of `reference`: curvature of
/// the metric prior at weight 1.
PriorTerm::Matrix10d metric_curvature(const BodyParameters& reference);

}  // namespace heft
#pragma GCC visibility pop
