#include "heft/moments/normal_equations.hpp"

namespace heft {

double NormalEquations::residual_cost(const Eigen::VectorXd& x) const {
  return x.dot(G * x) - 2 * b.dot(x) + tau2;
}

}  // namespace heft
