#include "solve/prior_term.hpp"

#include <cmath>

#include "conic_form.hpp"
#include "linalg/factorizations.hpp"
#include "solve/body_scale.hpp"
#include "svec.hpp"

namespace heft {

namespace {

using Matrix10d = PriorTerm::Matrix10d;

/// d/dpi of a function of J whose slope is dJ.
BodyParameters along_parameters(const Eigen::Matrix4d& slope) {
  return solver::pseudo_inertia_map().transpose() * solver::svec<4>(slope);
}

Eigen::Matrix4d inverse_reference(const Prior& prior, int body) {
  return pseudo_inertia(prior.references[body]).inverse();
}

/// svec(1), where the reference is in z.
BodyParameters svec_of_unit() {
  return solver::svec<4>(Eigen::Matrix4d::Identity());
}

/// No prior: no cost.
class NoTerm : public PriorTerm {
 public:
  void add_to(Eigen::Ref<Matrix10d>, Eigen::Ref<BodyParameters>, double&, const Prior&,
              int) const override {}
  BodyParameters gradient(const BodyParameters&, const Prior&, int) const override {
    return BodyParameters::Zero();
  }
  Matrix10d curvature(const Prior&, int) const override { return Matrix10d::Zero(); }
};

/// |U^-1 (J - J0) U^-T|_F^2, U U' = J0: in z the squared distance from svec(1).
class MetricTerm : public PriorTerm {
 public:
  void add_to(Eigen::Ref<Matrix10d> Q, Eigen::Ref<BodyParameters> c, double& constant,
              const Prior& prior, int body) const override {
    const double weight = prior.weight_of(body);
    Q.diagonal().array() += 2 * weight;
    c -= 2 * weight * svec_of_unit();
    constant += 4 * weight;
  }
  BodyParameters gradient(const BodyParameters& pi, const Prior& prior, int body) const override {
    const Eigen::Matrix4d inverse = inverse_reference(prior, body);
    const double weight = prior.weight_of(body);
    return along_parameters(2 * weight * (inverse * pseudo_inertia(pi) * inverse - inverse));
  }
  Matrix10d curvature(const Prior& prior, int body) const override {
    return prior.weight_of(body) * metric_curvature(prior.references[body]);
  }
  bool is_distance() const override { return true; }
  bool is_relative() const override { return true; }
};

/// tr(J0^-1 J) - 4 - log det(J0^-1 J): linear but for its barrier.
class EntropicTerm : public PriorTerm {
 public:
  void add_to(Eigen::Ref<Matrix10d>, Eigen::Ref<BodyParameters> c, double& constant,
              const Prior& prior, int body) const override {
    const double weight = prior.weight_of(body);
    c += weight * svec_of_unit();
    constant -= 4 * weight;
  }
  BodyParameters gradient(const BodyParameters&, const Prior& prior, int body) const override {
    return along_parameters(prior.weight_of(body) * inverse_reference(prior, body));
  }
  Matrix10d curvature(const Prior& prior,
                      int body) const override {  // of -log det, half that of the metric
    return 0.5 * prior.weight_of(body) * metric_curvature(prior.references[body]);
  }
  bool has_barrier() const override { return true; }
  bool is_relative() const override { return true; }
};

/// sum_k d_k (pi_k - pi0_k)^2, d of the prior or ones.
class SquaresTerm : public PriorTerm {
 public:
  explicit SquaresTerm(bool is_weighted) : is_weighted_(is_weighted) {}
  void add_to(Eigen::Ref<Matrix10d> Q, Eigen::Ref<BodyParameters> c, double& constant,
              const Prior& prior, int body) const override {
    const double weight = prior.weight_of(body);
    const BodyParameters d = weights(prior, body);
    const BodyParameters& x0 = prior.references[body];
    const Matrix10d B = body_scale(x0);
    const Matrix10d curvature = 2 * weight * B.transpose() * d.asDiagonal() * B;
    Q += 0.5 * (curvature + curvature.transpose());
    c -= 2 * weight * B.transpose() * d.cwiseProduct(x0);
    constant += weight * x0.dot(d.cwiseProduct(x0));
  }
  BodyParameters gradient(const BodyParameters& pi, const Prior& prior, int body) const override {
    return 2 * prior.weight_of(body) *
           weights(prior, body).cwiseProduct(pi - prior.references[body]);
  }
  Matrix10d curvature(const Prior& prior, int body) const override {
    return Matrix10d((prior.weight_of(body) * weights(prior, body)).asDiagonal());
  }
  const char* warning() const override {
    return is_weighted_ ? ""
                        : "euclidean prior: mixes kg and kg m^2 and is badly conditioned; use the "
                          "metric prior, which is the default";
  }

 private:
  BodyParameters weights(const Prior& prior, int body) const {
    return is_weighted_ ? prior.diagonal[body] : BodyParameters::Ones();
  }
  bool is_weighted_;
};

}  // namespace

const PriorTerm& prior_term(PriorKind kind) {
  static const NoTerm none;
  static const MetricTerm metric;
  static const EntropicTerm entropic;
  static const SquaresTerm euclidean(false), diagonal(true);
  switch (kind) {
    case PriorKind::metric:
      return metric;
    case PriorKind::entropic:
      return entropic;
    case PriorKind::euclidean:
      return euclidean;
    case PriorKind::diagonal:
      return diagonal;
    case PriorKind::none:
      break;
  }
  return none;
}

double prior_cost(const BodyParameters& pi, const Prior& prior, int body) {
  const PriorTerm& term = prior_term(prior.kind);
  const BodyParameters& reference = prior.references[body];
  const BodyParameters z = body_scale(reference).partialPivLu().solve(pi);
  Matrix10d Q = Matrix10d::Zero();
  BodyParameters c = BodyParameters::Zero();
  double cost = 0;
  term.add_to(Q, c, cost, prior, body);
  cost += 0.5 * z.dot(Q * z) + c.dot(z);
  if (term.has_barrier())
    cost -= prior.weight *
            std::log((inverse_reference(prior, body) * pseudo_inertia(pi)).determinant());
  if (!prior.bodies.empty()) {
    const BodyParameters off = pi - prior.bodies[body].value;
    cost += prior.bodies[body].weight * off.dot(metric_curvature(reference) * off);
  }
  return cost;
}

PriorTerm::Matrix10d metric_curvature(const BodyParameters& reference) {
  const Eigen::Matrix4d U = pseudo_inertia(reference).llt().matrixL();
  const Eigen::Matrix4d inverse = U.inverse();
  Eigen::Matrix<double, 16, core::kNumParameters> map;
  for (int k = 0; k < core::kNumParameters; ++k) {
    const Eigen::Matrix4d J =
        inverse * pseudo_inertia(BodyParameters::Unit(k)) * inverse.transpose();
    map.col(k) = J.reshaped();
  }
  return map.transpose() * map;
}

}  // namespace heft
