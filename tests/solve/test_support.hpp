// Small problems for the tests of the solver: random bodies, random data.
#pragma once

#include <random>

#include "heft/model/parameter_layout.hpp"
#include "heft/model/robot.hpp"
#include "heft/moments/normal_equations.hpp"
#include "linalg/factorizations.hpp"

namespace heft::test {

inline ParameterLayout make_layout(int num_bodies, int num_columns) {
  ParameterLayout layout;
  for (int body = 0; body < num_bodies; ++body) {
    layout.bodies.push_back("link_" + std::to_string(body + 1));
    layout.body_index.push_back(body);
  }
  for (int k = 0; k < num_columns; ++k) {
    Column column;
    column.name = "viscous joint_" + std::to_string(k + 1);
    column.nonnegative = true;
    layout.columns.push_back(column);
  }
  return layout;
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  double normal() { return normal_(engine_); }
  double uniform(double lower, double upper) {
    return std::uniform_real_distribution<double>(lower, upper)(engine_);
  }

  Eigen::MatrixXd normal(Eigen::Index rows, Eigen::Index columns) {
    return Eigen::MatrixXd::NullaryExpr(rows, columns, [this] { return normal(); });
  }

  /// A body of a few point masses: physical by construction.
  BodyParameters body() {
    BodyParameters sum = BodyParameters::Zero();
    for (int k = 0; k < 8; ++k) {
      const Eigen::Vector3d place = 0.1 * normal(3, 1).reverse();  // the last first, as seeds of
                                                                   // tests were chosen with
      sum += parameters_about_origin(uniform(0.1, 0.5), place, Eigen::Matrix3d::Zero());
    }
    return sum;
  }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
};

/// Rows Y and torques of `truth` with noise, summed into normal equations. The rows see only a
/// random subspace of dimension `rank` and have the scale of a real robot's columns.
inline NormalEquations random_equations(Random& random, const Eigen::VectorXd& truth, int num_rows,
                                        int rank, double noise) {
  const Eigen::Index P = truth.size();
  const Eigen::MatrixXd subspace = random.normal(rank, P);  // by itself: compilers differ in which
                                                            // factor they ask for first
  const Eigen::MatrixXd Y = random.normal(num_rows, rank) * subspace;
  const Eigen::VectorXd tau = Y * truth + noise * random.normal(num_rows, 1);
  NormalEquations equations;
  equations.G = Y.transpose() * Y;
  equations.b = Y.transpose() * tau;
  equations.tau2 = tau.squaredNorm();
  equations.num_rows = num_rows;
  return equations;
}

}  // namespace heft::test
