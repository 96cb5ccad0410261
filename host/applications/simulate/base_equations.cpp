// The six equations of a floating base, from the rows of unit motions.
#include "simulate/floating_motion.hpp"

namespace heft {

namespace {

using Vector6d = Eigen::Matrix<double, 6, 1>;

constexpr Eigen::Index kMotions = 10;  ///< at rest, three w, and six of (wd, u)

/// Every row of `joints` with all motions of the base, whose columns are w, wd, u.
Samples unit_motions(const Samples& joints, const RegressorPlan& plan) {
  Samples samples;
  const Eigen::Index rows = kMotions * joints.size();
  samples.time.setZero(rows);
  for (const auto array : {&Samples::position, &Samples::velocity, &Samples::acceleration}) {
    (samples.*array).resize(rows, (joints.*array).cols());
    for (Eigen::Index i = 0; i < joints.size(); ++i)
      (samples.*array).middleRows(kMotions * i, kMotions).rowwise() = (joints.*array).row(i);
  }
  samples.base_motion.setZero(rows, 9);
  for (Eigen::Index i = 0; i < joints.size(); ++i)
    for (Eigen::Index k = 0; k < kMotions - 1; ++k)
      samples.base_motion(kMotions * i + 1 + k, k) = 1;
  samples.torque.setZero(rows, plan.num_channels());
  samples.weight.setOnes(rows, plan.num_channels());
  return samples;
}

/// Wrench by which a rigid body with this inertia resists its rotation.
Vector6d gyroscopic(const Eigen::Matrix<double, 6, 6>& M, const Eigen::Vector3d& w) {
  const Eigen::Vector3d h(M(5, 1), M(3, 2), M(4, 0));
  Vector6d wrench;
  wrench << w.cross(w.cross(h)), w.cross(M.bottomRightCorner<3, 3>() * w);
  return wrench;
}

}  // namespace

Vector6d BaseEquation::bias(const Eigen::Vector3d& w) const {
  return C * w + gyroscopic(M, w) + r;
}

Result<std::vector<BaseEquation>> base_equations(const SimulatedTruth& truth,
                                                 const Samples& joints) {
  const Samples samples = unit_motions(joints, *truth.plan);
  HEFT_TRY(backend, make_backend({.kind = BackendKind::cpu}));
  const PredictJob job{truth.plan.get(), &samples, &truth.parameters};
  Eigen::ArrayXXd torque;
  HEFT_CHECK(backend->predict({&job, 1}, {&torque, 1}));
  std::vector<BaseEquation> equations(static_cast<std::size_t>(joints.size()));
  for (Eigen::Index i = 0; i < joints.size(); ++i) {
    BaseEquation& equation = equations[static_cast<std::size_t>(i)];
    const auto wrench = [&](Eigen::Index k) -> Vector6d {
      return torque.row(kMotions * i + k).head<6>().transpose().matrix();
    };
    equation.r = wrench(0);
    for (Eigen::Index k = 0; k < 3; ++k) {
      equation.M.col(3 + k) = wrench(4 + k) - equation.r;
      equation.M.col(k) = wrench(7 + k) - equation.r;
    }
    for (int k = 0; k < 3; ++k)
      equation.C.col(k) =
          wrench(1 + k) - equation.r - gyroscopic(equation.M, Eigen::Vector3d::Unit(k));
  }
  return equations;
}

}  // namespace heft
