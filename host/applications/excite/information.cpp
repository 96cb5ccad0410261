#include "information.hpp"

#include <string>

#include "linalg/factorizations.hpp"
#include "signal_columns.hpp"

namespace heft::excite {

namespace {

Result<Eigen::MatrixXd> inverse(const Eigen::MatrixXd& matrix, const char* name, double& log_det) {
  // unit diagonal first: parameters have units, and bodies sizes, many powers of ten apart
  const Eigen::VectorXd scale = matrix.diagonal().array().max(0).sqrt().inverse();
  if (!scale.allFinite())
    return Error{name, "has a parameter without variance",
                 "give every unknown a positive variance in beliefs"};
  const Eigen::LLT<Eigen::MatrixXd> factor(
      Eigen::MatrixXd(scale.asDiagonal() * matrix * scale.asDiagonal()));
  if (factor.info() != Eigen::Success)
    return Error{name, "is not positive definite",
                 "give every unknown a positive variance in beliefs"};
  log_det = 2 * factor.matrixLLT().diagonal().array().log().sum() - 2 * scale.array().log().sum();
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(matrix.rows(), matrix.cols());
  return Eigen::MatrixXd(scale.asDiagonal() * factor.solve(identity) * scale.asDiagonal());
}

}  // namespace

Result<Information> make_information(PlanPtr plan, const Beliefs& beliefs) {
  HEFT_CHECK(SignalColumns::make(*plan));
  Information information{.plan = plan, .covariance = beliefs.covariance};
  double log_det_covariance = 0, log_det_variance = 0;
  HEFT_TRY(known, inverse(beliefs.covariance, "covariance of the beliefs", log_det_covariance));
  information.known = known;
  information.log_det_known = -log_det_covariance;
  const Eigen::SparseMatrix<double>& W = plan->regrouping;
  const Eigen::MatrixXd half = W * beliefs.covariance;
  const Eigen::MatrixXd variance = half * Eigen::SparseMatrix<double>(W.transpose());
  information.variance = 0.5 * (variance + variance.transpose());
  HEFT_TRY(precision,
           inverse(information.variance, "covariance of structural columns", log_det_variance));
  information.precision = precision;
  information.log_det_offset = information.log_det_known + log_det_variance;
  information.rate = beliefs.samples_per_second * beliefs.noise.array().square().inverse();
  information.believed = beliefs.parameters;
  information.reference = W * beliefs.parameters;
  return information;
}

}  // namespace heft::excite
