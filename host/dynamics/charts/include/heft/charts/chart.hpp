// Charts: coordinates of a body's ten parameters in which every point is possible, one body or many
// at a time. FORMULAS 4; the maths is in heft/core/log_cholesky.hpp, exponential_chart.hpp and
// manifold_chart.hpp, for CPU and GPU alike.
//
// A point has num_numbers() numbers (10; of the manifold 11, with a quaternion), a step ten.
// Derivatives are by the step. Threads: any number of threads may call, each with objects of its
// own; what is const may be shared.
#pragma once

#include <optional>

#include "heft/base/result.hpp"
#include "heft/charts/body_status.hpp"
#include "heft/charts/chart_kind.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A row a parameter in the order of core::Parameter, a column a coordinate.
using ChartJacobian = Eigen::Matrix<double, core::kNumParameters, 10>;

struct ChartPoint {
  Eigen::VectorXd numbers;  ///< empty if the status is impossible, or there is no mass to be near
                            ///< to
  BodyStatus status = BodyStatus::impossible;
};

class BodyChart {
 public:
  /// `prior`: of exponential_at_prior alone. Error: it is missing, or its pseudo-inertia is not
  /// positive definite.
  static Result<BodyChart> make(ChartKind kind, const std::optional<BodyParameters>& prior = {});

  ChartKind kind() const { return kind_; }
  int num_numbers() const { return kind_ == ChartKind::manifold ? 11 : 10; }

  BodyParameters parameters(const Eigen::VectorXd& point) const;

  /// The inverse. A body on the boundary has a point on the manifold alone; on other charts it gets
  /// that of inside().
  ChartPoint point(const BodyParameters& parameters) const;

  /// d pi / d step, in closed form.
  ChartJacobian jacobian(const Eigen::VectorXd& point) const;

  /// J'g without J: the gradient by the step of what has the gradient g by the parameters.
  Eigen::Matrix<double, 10, 1> gradient(const Eigen::VectorXd& point,
                                        const BodyParameters& g) const;

  /// The point that is a step away: the sum, and on the manifold R exp([db]x).
  Eigen::VectorXd moved(const Eigen::VectorXd& point,
                        const Eigen::Matrix<double, 10, 1>& step) const;

  // Many bodies at a time: a row a body, a column a number; lanes of the widest instructions of the
  // processor. Nothing is said of points that are not finite, or bodies that are not possible:
  // numbers that are not finite come out.
  void parameters(const Eigen::ArrayXXd& points, Eigen::ArrayXXd& parameters) const;
  void points(const Eigen::ArrayXXd& parameters, Eigen::ArrayXXd& points) const;
  void gradients(const Eigen::ArrayXXd& points, const Eigen::ArrayXXd& g,
                 Eigen::ArrayXXd& gradients) const;

  /// A column a body: its Jacobian, 10 x 10, row by row.
  void jacobians(const Eigen::ArrayXXd& points, Eigen::MatrixXd& jacobians) const;

 private:
  BodyChart(ChartKind kind, const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>& factor)
      : kind_(kind), factor_(factor) {}

  ChartKind kind_;
  Eigen::Matrix<double, 4, 4, Eigen::RowMajor> factor_;  // L of J = L exp(X) L'
};

}  // namespace heft
#pragma GCC visibility pop
