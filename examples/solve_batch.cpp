// Solves a thousand convex problems at once: fits the inertia of tools to noisy data, close to
// their drawing and physically consistent, each with a certificate.
#include <cstdio>
#include <random>

#include "heft/solve/solve.hpp"
#include "heft/solve/solve_batch.hpp"

namespace {

constexpr int kTools = 1000, kRows = 60;
constexpr double kNoise = 0.1;

heft::Result<heft::Problem> random_problem(std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0.5, 1.5);
  const auto random = [&] { return normal(engine); };

  // the drawing, and a real tool of the same shape but another mass
  const Eigen::Vector3d center = 0.1 * Eigen::Vector3d::NullaryExpr(random);
  const Eigen::Matrix3d tensor = Eigen::Vector3d(0.01, 0.02, 0.025).asDiagonal();
  const heft::BodyParameters drawing = heft::parameters_about_origin(2, center, tensor);
  const heft::BodyParameters truth = uniform(engine) * drawing;

  const Eigen::MatrixXd Y = Eigen::MatrixXd::NullaryExpr(kRows, truth.size(), random);
  const Eigen::VectorXd tau = Y * truth + kNoise * Eigen::VectorXd::NullaryExpr(kRows, random);
  const double weight = 1 / (kNoise * kNoise);
  const heft::NormalEquations equations{.G = weight * Y.transpose() * Y,
                                        .b = weight * Y.transpose() * tau,
                                        .tau2 = weight * tau.squaredNorm(),
                                        .num_rows = kRows};
  heft::ParameterLayout layout;
  layout.bodies = {"tool"};
  layout.body_index = {0};
  HEFT_TRY(prior, heft::make_prior(layout, std::vector{drawing}));
  return heft::make_problem(layout, equations, prior);
}

heft::Result<int> num_certified() {
  std::mt19937_64 engine(1);
  std::vector<heft::Problem> problems;
  for (int k = 0; k < kTools; ++k) {
    HEFT_TRY(problem, random_problem(engine));
    problems.push_back(std::move(problem));
  }
  HEFT_TRY(solutions, heft::solve_batch(problems, {.num_threads = 2}));
  int certified = 0;
  for (int k = 0; k < kTools; ++k) certified += heft::certify(problems[k], solutions[k]).certified;
  return certified;
}

}  // namespace

int main() {
  const auto certified = num_certified();
  if (!certified) return std::fprintf(stderr, "%s\n", certified.error().message().c_str()), 1;
  std::printf("%d of %d results certified on %s\n", *certified, kTools,
              heft::batch_instruction_set());
  return *certified == kTools ? 0 : 1;
}
