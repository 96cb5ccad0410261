#include "fitted_columns.hpp"

#include "linalg/factorizations.hpp"

namespace heft {

Eigen::VectorXd prior_with_fitted_columns(const Identification& result) {
  const Setup& setup = result.setup;
  const ParameterLayout& layout = setup.plan().layout;
  const int num_columns = layout.num_columns(),
            num_inertial = core::kNumParameters * layout.num_bodies();
  Eigen::VectorXd x = Eigen::VectorXd::Zero(layout.num_parameters());
  for (std::size_t i = 0; i < setup.prior.references.size(); ++i)
    x.segment<core::kNumParameters>(core::kNumParameters * static_cast<Eigen::Index>(i)) =
        setup.prior.references[i];
  if (num_columns == 0) return x;
  const NormalEquations equations = normal_equations(result.data.moments, result.channel_weights);
  const Eigen::MatrixXd own = equations.G.bottomRightCorner(num_columns, num_columns);
  const Eigen::VectorXd wanted =
      equations.b.tail(num_columns) -
      equations.G.bottomLeftCorner(num_columns, num_inertial) * x.head(num_inertial);
  // columns that the motion does not distinguish stay at zero
  constexpr double kRidge = 1e-9;
  const Eigen::VectorXd ridge = kRidge * own.diagonal().array().max(1e-300);
  const Eigen::MatrixXd regular = own + Eigen::MatrixXd(ridge.asDiagonal());
  x.tail(num_columns) = regular.ldlt().solve(wanted);
  return x;
}

}  // namespace heft
