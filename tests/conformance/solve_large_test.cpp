// The device's semismooth Newton method on large problems, whose factors a library computes: the
// kernels between its calls, executed on the host with Eigen as the library, take the steps of the
// kernel that computes its own factors, to a certified optimum.
#include "kernels/solve/large_semismooth.hpp"

#include <gtest/gtest.h>

#include "heft/solve/solve.hpp"
#include "linalg/factorizations.hpp"
#include "tests/conformance/device_on_host.hpp"
#include "tests/solve/random_problems.hpp"

namespace heft {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int kMaxSteps = 20;

/// A problem on a device that has a library; all memory is poisoned beforehand.
class LargeProblem {
 public:
  LargeProblem(const solver::PlainProblem& problem, const cuda::ProblemShape& shape)
      : shape_(shape),
        problem_(cuda::PackedProblem::size_for(shape), kNaN),
        answer_(cuda::PackedAnswer::size_for(shape), kNaN),
        workspace_(cuda::LargeWorkspace::size_for(shape, 1), kNaN),
        matrix_(Eigen::MatrixXd::Constant(shape.padded(), shape.padded(), kNaN)),
        factor_of_Q_(matrix_) {
    cuda::pack(problem, shape, problem_.data());
  }

  void solve(double gap_tolerance, solver::PlainAnswer& answer) {
    const cuda::Workspace vectors(shape_, nullptr, nullptr, workspace_.data());
    on(factor_of_Q_).begin();
    factor(factor_of_Q_);
    divide(factor_of_Q_, vectors.dy);
    for (int steps = 1;; ++steps) {
      on(matrix_).judge();
      divide(factor_of_Q_, vectors.gradient);
      const cuda::PackedAnswer packed(shape_, answer_.data());
      if (on(matrix_).conclude({gap_tolerance, kMaxSteps}, steps, packed)) break;
      factor(matrix_);
      divide(matrix_, vectors.dy);
    }
    cuda::unpack(answer_.data(), shape_, answer);
  }

 private:
  cuda::LargeSemismooth<testing::OneThread> on(Eigen::MatrixXd& matrix) {
    return {testing::OneThread{}, shape_, cuda::PackedProblem(shape_, problem_.data()),
            cuda::LargeWorkspace(shape_, 1, workspace_.data()),
            cuda::DenseMatrix{matrix.data(), shape_.padded()}};
  }
  static void factor(Eigen::MatrixXd& matrix) {
    const Eigen::LLT<Eigen::MatrixXd> llt(matrix);
    matrix.triangularView<Eigen::Lower>() = llt.matrixLLT();
  }
  static void divide(const Eigen::MatrixXd& factor, double* vector) {
    Eigen::Map<Eigen::VectorXd> x(vector, factor.rows());
    factor.triangularView<Eigen::Lower>().solveInPlace(x);
    factor.triangularView<Eigen::Lower>().transpose().solveInPlace(x);
  }

  cuda::ProblemShape shape_;
  std::vector<double> problem_, answer_, workspace_;
  Eigen::MatrixXd matrix_, factor_of_Q_;
};

void expect_steps_of_a_block(const Problem& problem) {
  const SolveOptions options;
  solver::PackedProblem packed;
  packed.lay_out(problem, options);
  solver::PlainAnswer answer = packed.blank_answer();
  LargeProblem(packed.view(), cuda::problem_shape(solver::plain_shape(problem)))
      .solve(options.gap_tolerance, answer);
  const testing::DeviceRun block = testing::solve_in_one_thread(problem, kMaxSteps);
  EXPECT_EQ(answer.converged, block.answer.converged);
  EXPECT_EQ(answer.steps, block.answer.steps);
  if (!answer.converged) return;
  const Solution solution = packed.solution(answer, options);
  EXPECT_LE((solution.x - block.solution.x).norm(), 1e-8 * block.solution.x.norm());
  EXPECT_TRUE(certify(problem, solution, {1.1e-8, 1e-9}).certified);
}

TEST(LargeSemismooth, TakesTheStepsOfABlock) {
  for (const double true_column : {0.1, -1.0}) {  // columns away from their bounds, and at them
    auto problems = test::random_problems(12, {.seed = 72,
                                               .num_bodies = 4,
                                               .num_columns = 3,
                                               .num_rows = 40,
                                               .least_prior_weight = 1e-4,
                                               .true_column = true_column});
    problems.front().c[2] = kNaN;
    for (const Problem& problem : problems) expect_steps_of_a_block(problem);
  }
}

}  // namespace
}  // namespace heft
