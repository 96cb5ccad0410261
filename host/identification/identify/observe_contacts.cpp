#include "identify/observe_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "heft/executor/executor.hpp"
#include "heft/observe/observe.hpp"
#include "linalg/factorizations.hpp"
#include "projected_information.hpp"
#include "random_motion.hpp"

namespace heft {

namespace {

constexpr double kDetermined = 1e-12;  ///< of the largest eigenvalue, for columns of equal length

/// Random motions, with the signals of contacts that always act.
Result<Samples> random_contacts(const Model& model) {
  const RegressorPlan& plan = *model.plan;
  Samples samples = random_motion(plan.robot);
  samples.signal.setZero(samples.size(), std::ssize(model.derived.signals));
  // a sphere's lowest point needs an orientation: that of a level base
  Eigen::ArrayXXd level = Eigen::ArrayXXd::Zero(samples.size(), 4);
  level.col(3) = 1;
  const Eigen::ArrayXXd logged = Eigen::ArrayXXd::Zero(samples.size(), 3);
  for (const BlockFunction& function : model.derived.functions)
    if (function.where.starts_with("contacts: "))
      HEFT_CHECK(function.apply({logged, level}, samples));
  return samples;
}

/// Eigenvalues and -vectors of a matrix whose columns are scaled to equal length.
struct Scaled {
  Eigen::VectorXd scale;
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen;

  explicit Scaled(const Eigen::MatrixXd& G, const Eigen::VectorXd& by)
      : scale(by), eigen(Eigen::MatrixXd(by.asDiagonal() * G * by.asDiagonal())) {}

  double cut(double largest) const { return kDetermined * largest; }
  int rank(double largest) const {
    return static_cast<int>((eigen.eigenvalues().array() > cut(largest)).count());
  }
  /// Diagonal of the inverse; directions that are not determined count as barely determined.
  Eigen::VectorXd variances(double largest) const {
    const Eigen::VectorXd values = eigen.eigenvalues().cwiseMax(cut(largest));
    return (eigen.eigenvectors().array().square().matrix() * values.cwiseInverse());
  }
};

/// Base parameters as columns in the parameters of the layout.
Eigen::MatrixXd base_columns(const Observability& observability, const ParameterLayout& layout) {
  const std::vector<int> base = observability.base_parameters();
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(layout.num_parameters(), std::ssize(base));
  for (Eigen::Index k = 0; k < columns.cols(); ++k) {
    const ObservedParameter& parameter =
        observability.parameters[static_cast<std::size_t>(base[static_cast<std::size_t>(k)])];
    for (int b = 0; b < layout.num_bodies(); ++b)
      if (layout.body_index[static_cast<std::size_t>(b)] == parameter.body)
        columns.col(k).segment<core::kNumParameters>(layout.index(b, core::kMass)) =
            parameter.direction;
  }
  return columns;
}

}  // namespace

Result<ObservableContacts> observe_contacts(const Robot& robot, const ModelOptions& options) {
  ModelOptions rigid = options;
  rigid.columns.clear();
  rigid.wrenches.clear();
  rigid.known_torque.clear();
  rigid.base.bias = rigid.base.rotation = false;
  HEFT_TRY(model, make_model(robot, rigid));
  if (!model.derived.unknown_wrenches)
    return Error{"contacts", "the file has no contact",
                 "list the feet: contacts: [{frame: left_foot, type: plane}, ..]"};
  HEFT_TRY(observability, observe(robot, {.channels = false}));
  HEFT_TRY(backend, make_backend({.kind = BackendKind::cpu, .threads = 1}));
  HEFT_TRY(samples, random_contacts(model));
  const RegressorPlan& plan = *model.plan;
  std::vector<RowArray> rows;
  HEFT_CHECK(backend->evaluate_rows(plan, samples, rows));
  const UnknownWrenches& wrenches = *model.derived.unknown_wrenches;
  const std::vector<bool> used(static_cast<std::size_t>(plan.num_channels()), true);
  const auto information = [&](const UnknownWrenches& unknown) {
    ProjectedInformation sum(plan, unknown);
    sum.add(samples, rows, used);
    return sum.matrix();
  };
  UnknownWrenches none = wrenches;
  for (UnknownDirection& direction : none.directions) direction.channels.clear();
  const Eigen::MatrixXd measured = information(none), projected = information(wrenches);

  ObservableContacts result;
  for (int f = 0; f < std::ssize(wrenches.contacts); ++f)
    result.contacts.push_back({wrenches.contacts[static_cast<std::size_t>(f)].frame,
                               share_lost(information(without_contact(wrenches, f)), projected)});
  const Eigen::MatrixXd B = plan.regrouping * base_columns(observability, plan.layout);
  const Eigen::MatrixXd G = B.transpose() * measured * B, P = B.transpose() * projected * B;
  const Eigen::VectorXd scale =
      G.diagonal().unaryExpr([](double g) { return g > 0 ? 1 / std::sqrt(g) : 0.0; });
  const Scaled before(G, scale), after(P, scale);
  const double largest = before.eigen.eigenvalues().tail<1>()[0];
  result.num_base = before.rank(largest);
  result.num_base_projected = after.rank(largest);
  const Eigen::VectorXd variance_before = before.variances(largest),
                        variance_after = after.variances(largest);
  for (std::size_t k = 0; k < observability.identifiable.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    result.parameters.push_back(
        {observability.text(observability.identifiable[k]),
         std::clamp(1 - variance_before[at] / variance_after[at], 0.0, 1.0)});
  }
  return result;
}

}  // namespace heft
