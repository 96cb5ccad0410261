#include "objective.hpp"

#include <cmath>
#include <limits>

#include "linalg/factorizations.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace heft::excite {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// The factor L of G + V^-1 = L L', and the quantities computed from it.
class Factor {
 public:
  Factor(const Information& information, const MatrixXd& G) {
    sum_ = information.precision;
    sum_.triangularView<Eigen::Lower>() += G;
    // columns differ by many powers of ten: unit diagonal first
    scale_ = sum_.diagonal().array().max(0).rsqrt();
    for (Eigen::Index j = 0; j < sum_.cols(); ++j)
      sum_.col(j).tail(sum_.rows() - j).array() *= scale_[j] * scale_.tail(sum_.rows() - j).array();
    factor_.compute(sum_);
  }
  bool ok() const { return factor_.info() == Eigen::Success && scale_.allFinite(); }
  double log_det() const {
    return 2 * factor_.matrixLLT().diagonal().array().log().sum() - 2 * scale_.array().log().sum();
  }
  MatrixXd inverse() const {
    // L^-1, then its square: half the work of solving with the identity
    MatrixXd root = MatrixXd::Identity(sum_.rows(), sum_.cols());
    factor_.matrixL().solveInPlace(root);
    MatrixXd result = MatrixXd::Zero(sum_.rows(), sum_.cols());
    result.selfadjointView<Eigen::Lower>().rankUpdate(root.transpose());
    result.triangularView<Eigen::StrictlyUpper>() = result.transpose();
    return scale_.asDiagonal() * result * scale_.asDiagonal();
  }

 private:
  MatrixXd sum_;
  VectorXd scale_;
  Eigen::LLT<MatrixXd> factor_;
};

class LogDet : public Objective {
 public:
  explicit LogDet(const Information& information) : information_(information) {}
  double value(const MatrixXd& G, MatrixXd* slope) const override {
    const Factor factor(information_, G);
    if (!factor.ok()) return kUnbounded;
    if (slope != nullptr) *slope = -factor.inverse();
    return -factor.log_det() - information_.log_det_offset;
  }

 private:
  const Information& information_;
};

/// size log tr((G + V^-1)^-1 T); the factor `size` makes changes comparable with those of log det.
class MeanVariance : public Objective {
 public:
  MeanVariance(const Information& information, MatrixXd target)
      : information_(information), target_(std::move(target)) {}
  double value(const MatrixXd& G, MatrixXd* slope) const override {
    const Factor factor(information_, G);
    if (!factor.ok()) return kUnbounded;
    const MatrixXd inverse = factor.inverse(), product = inverse * target_;
    const double trace = product.trace(), size = static_cast<double>(target_.rows());
    if (!(trace > 0)) return kUnbounded;
    if (slope != nullptr) *slope = (-size / trace) * (product * inverse);
    return size * std::log(trace);
  }

 private:
  const Information& information_;
  MatrixXd target_;
};

/// Smallest eigenvalue of A = B'GB over the directions B that rows can have, or the condition
/// number. If several eigenvalues tie, the gradient is that of their mean, a descent direction for
/// all.
class Eigenvalues : public Objective {
 public:
  Eigenvalues(MatrixXd directions, bool is_condition)
      : directions_(std::move(directions)), is_condition_(is_condition) {}
  double value(const MatrixXd& G, MatrixXd* slope) const override {
    const MatrixXd whole = G.selfadjointView<Eigen::Lower>();
    MatrixXd A = directions_.transpose() * whole * directions_;
    if (!is_condition_) A.diagonal().array() += 1;  // prior knowledge
    const SymmetricEigen<Eigen::Dynamic> eigen(A);
    const VectorXd& values = eigen.eigenvalues();
    const double size = static_cast<double>(values.size());
    if (!(values[0] > 1e-14 * values[values.size() - 1])) return kUnbounded;
    // a soft minimum, -log sum exp(-p log x) / p: smooth where the order of eigenvalues changes
    const Eigen::ArrayXd logs = values.array().log();
    constexpr double kSharpness = 4;
    const Eigen::ArrayXd low = (-kSharpness * (logs - logs.minCoeff())).exp();
    const Eigen::ArrayXd high = (kSharpness * (logs - logs.maxCoeff())).exp();
    double result = std::log(low.sum()) / kSharpness - logs.minCoeff();
    Eigen::ArrayXd by_value = -low / low.sum() / values.array();
    if (is_condition_) {
      result += std::log(high.sum()) / kSharpness + logs.maxCoeff();
      by_value += high / high.sum() / values.array();
    }
    if (slope != nullptr) {
      const MatrixXd turned = directions_ * eigen.eigenvectors();
      *slope = size * (turned * by_value.matrix().asDiagonal() * turned.transpose());
    }
    return size * result;
  }

 private:
  MatrixXd directions_;
  bool is_condition_;
};

}  // namespace

std::unique_ptr<Objective> make_objective(ExcitationObjective kind, const Information& information,
                                          const MatrixXd& task, const MatrixXd& excitable) {
  switch (kind) {
    case ExcitationObjective::d:
      return std::make_unique<LogDet>(information);
    case ExcitationObjective::i:
      return std::make_unique<MeanVariance>(information, task);
    case ExcitationObjective::a:
      return std::make_unique<MeanVariance>(information, information.precision);
    case ExcitationObjective::e:
      return std::make_unique<Eigenvalues>(excitable, false);
    case ExcitationObjective::condition:
      return std::make_unique<Eigenvalues>(excitable, true);
  }
  return nullptr;
}

double log_det(const Information& information, const MatrixXd& G) {
  return -LogDet(information).value(G, nullptr);
}

}  // namespace heft::excite
