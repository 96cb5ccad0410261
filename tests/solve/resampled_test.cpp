// Problems of a bootstrap, whose objectives are sums of scaled blocks, compared with each of them
// made and solved separately.
#include <gtest/gtest.h>

#include <cmath>

#include "base/widest.hpp"
#include "heft/solve/solve.hpp"
#include "host/estimation/solve/batch/lane_solver.hpp"
#include "host/estimation/solve/shared/solve/solve_resampled.hpp"
#include "tests/solve/random_problems.hpp"

namespace heft {
namespace {

constexpr int kBlocks = 6, kResamples = 71;  // more than two shares of a thread

std::vector<NormalEquations> random_blocks(const Problem& problem, unsigned seed) {
  test::Random random(seed);
  const int P = problem.layout.num_parameters();
  Eigen::VectorXd truth = Eigen::VectorXd::Constant(P, 0.1);
  for (int body = 0; body < problem.layout.num_bodies(); ++body)
    truth.segment<10>(10 * body) = random.body();
  std::vector<NormalEquations> blocks;
  for (int b = 0; b < kBlocks; ++b)
    blocks.push_back(test::random_equations(random, truth, 20 + b, P / 2, 0.3));
  return blocks;
}

/// Of rows that see the first two bodies, and others that see the columns: whole tiles are zero.
std::vector<NormalEquations> without_coupling(const ParameterLayout& layout,
                                              const std::vector<NormalEquations>& some,
                                              const std::vector<NormalEquations>& others) {
  Eigen::VectorXd first = Eigen::VectorXd::Ones(layout.num_parameters()), second = first;
  first.tail(layout.num_columns()).setZero();
  second.head(20).setZero();
  std::vector<NormalEquations> blocks;
  for (std::size_t b = 0; b < some.size(); ++b) {
    const NormalEquations &a = some[b], &c = others[b];
    blocks.push_back({first.asDiagonal() * a.G * first.asDiagonal(), first.cwiseProduct(a.b),
                      a.tau2 + c.tau2, a.num_rows + c.num_rows});
    blocks.back().G += second.asDiagonal() * c.G * second.asDiagonal();
    blocks.back().b += second.cwiseProduct(c.b);
  }
  return blocks;
}

/// Of rows that do not see the last body: only its prior counts.
std::vector<NormalEquations> without_last_body(std::vector<NormalEquations> blocks, int last) {
  for (NormalEquations& block : blocks) {
    block.G.middleRows(10 * last, 10).setZero();
    block.G.middleCols(10 * last, 10).setZero();
    block.b.segment(10 * last, 10).setZero();
  }
  return blocks;
}

NormalEquations drawn(const std::vector<NormalEquations>& blocks, const Eigen::VectorXi& draws) {
  NormalEquations sum{Eigen::MatrixXd::Zero(blocks[0].G.rows(), blocks[0].G.cols()),
                      Eigen::VectorXd::Zero(blocks[0].b.size())};
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const int n = draws[static_cast<Eigen::Index>(b)];
    sum.G += n * blocks[b].G;
    sum.b += n * blocks[b].b;
    sum.tau2 += n * blocks[b].tau2;
    sum.num_rows += n * blocks[b].num_rows;
  }
  return sum;
}

Eigen::MatrixXi random_draws(unsigned seed) {
  test::Random random(seed);
  Eigen::MatrixXi draws = Eigen::MatrixXi::Zero(kBlocks, kResamples);
  for (int r = 0; r < kResamples; ++r)
    for (int k = 0; k < kBlocks; ++k) draws(static_cast<int>(random.uniform(0, kBlocks)), r) += 1;
  return draws;
}

/// Problems of all blocks: with and without columns, one with priors for a body and for columns,
/// one whose columns and first bodies share no row, and one with a body that no row sees.
std::vector<std::pair<Problem, std::vector<NormalEquations>>> wholes() {
  std::vector<std::pair<Problem, std::vector<NormalEquations>>> all;
  unsigned seed = 3;
  for (const Problem& like : test::random_problems(7, {.seed = 19,
                                                      .num_bodies = 3,
                                                      .num_columns = 2,
                                                      .num_rows = 60,
                                                      .least_prior_weight = 1e-3})) {
    auto blocks = random_blocks(like, ++seed);
    if (seed == 6) blocks = without_coupling(like.layout, blocks, random_blocks(like, 99));
    if (seed == 7) blocks = without_last_body(blocks, like.layout.num_bodies() - 1);
    Prior prior = like.prior;
    if (seed == 5) {
      prior.bodies.assign(prior.references.size(), {});
      prior.bodies[0] = {prior.references[0], 0.3};
      prior.columns.assign(static_cast<std::size_t>(like.layout.num_columns()), {0.2, 0.7});
    }
    all.emplace_back(
        *make_problem(like.layout, drawn(blocks, Eigen::VectorXi::Ones(kBlocks)), prior), blocks);
  }
  return all;
}

TEST(Resampled, AnswersAreThoseOfProblemsMadeOneByOne) {
  const Eigen::MatrixXi draws = random_draws(23);
  for (const auto& [whole, blocks] : wholes()) {
    ASSERT_TRUE(can_be_resampled(whole, {}));
    const SolveOptions close{.gap_tolerance = 1e-10};
    const auto found = solve_resampled(whole, blocks, draws, close);
    ASSERT_TRUE(found) << found.error().message();
    ASSERT_EQ(found->x.cols(), kResamples);
    for (int r = 0; r < kResamples; ++r) {
      const Problem alone = *make_problem(whole.layout, drawn(blocks, draws.col(r)), whole.prior);
      const auto expected = solve(alone, close);
      ASSERT_EQ(expected->status, SolveStatus::optimal);
      ASSERT_TRUE(found->solved[static_cast<std::size_t>(r)]) << r;
      const Eigen::VectorXd x = expected->x.head(found->x.rows());
      EXPECT_LT((found->x.col(r) - x).norm(), 1e-3 * x.norm()) << r;
    }
  }
}

TEST(Resampled, ThreadsChangeNoBit) {
  const Eigen::MatrixXi draws = random_draws(29);
  const auto all = wholes();
  for (const std::size_t k : {1, 3}) {
    const auto& [whole, blocks] = all[k];
    const auto one = solve_resampled(whole, blocks, draws),
               three = solve_resampled(whole, blocks, draws, {}, 3);
    ASSERT_TRUE(one);
    ASSERT_TRUE(three);
    EXPECT_EQ(one->x, three->x);
  }
}

TEST(Resampled, ReportsProblemsWithoutASolution) {
  const auto all = wholes();
  const auto& [whole, blocks] = all[0];
  Eigen::MatrixXi draws = random_draws(31);
  draws.col(4).setZero();
  const auto found = solve_resampled(whole, blocks, draws);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->solved[4]);
  EXPECT_FALSE(found->x.col(4).allFinite());
  EXPECT_TRUE(found->solved[5]);
}

TEST(Resampled, RefusesUnsupportedProblems) {
  const auto all = wholes();
  const auto& [whole, blocks] = all[0];
  const Eigen::MatrixXi draws = random_draws(37);
  EXPECT_FALSE(solve_resampled(whole, blocks, draws.topRows(2)));
  EXPECT_FALSE(solve_resampled(whole, blocks, -draws));
  EXPECT_FALSE(solve_resampled(whole, blocks, draws, {.method = SolveMethod::admm}));
  auto smaller = blocks;
  smaller[2].G.conservativeResize(3, 3);
  EXPECT_FALSE(solve_resampled(whole, smaller, draws));
  smaller[2] = blocks[2];
  smaller[2].b[0] = std::nan("");
  EXPECT_FALSE(solve_resampled(whole, smaller, draws));
  const auto stop = [](const std::string&, double) { return false; };
  const auto stopped = solve_resampled(whole, blocks, draws, {}, 1, stop);
  ASSERT_FALSE(stopped);
  EXPECT_TRUE(stopped.error().is_stop);
}

std::vector<const solver::LaneSolver*> instruction_sets() {
  using namespace solver;
  std::vector<const LaneSolver*> all = {&kLaneSolverBaseline};
  if (processor_has_avx2()) all.push_back(&kLaneSolverAvx2);
  if (processor_has_avx512()) all.push_back(&kLaneSolverAvx512);
  return all;
}

Eigen::MatrixXd without_numbers(Eigen::Index rows, Eigen::Index cols) {
  return Eigen::MatrixXd::Constant(rows, cols, std::nan(""));
}

/// Parts of larger matrices, with fewer rows than lanes and more, and as many columns as go
/// together, fewer and more.
TEST(Resampled, EveryInstructionSetMultipliesMatrices) {
  test::Random random(3);
  for (const solver::LaneSolver* lanes : instruction_sets())
    for (const int rows : {1, 2, 3, 5, 8, 9, 13, 16, 17, 30, 33})
      for (const int depth : {0, 1, 11})
        for (const int columns : {1, 3, 4, 6, 7, 8, 9, 17}) {
          const Eigen::MatrixXd A = random.normal(rows + 2, depth + 1),
                                B = random.normal(depth + 3, columns + 1);
          Eigen::MatrixXd C = without_numbers(rows + 5, columns + 1);
          lanes->multiply({A.data() + 1, A.outerStride(), B.data() + 2, B.outerStride(),
                           C.data() + 3, C.outerStride(), rows, depth, columns});
          const Eigen::MatrixXd expected =
              A.block(1, 0, rows, depth) * B.block(2, 0, depth, columns);
          EXPECT_LE(
              (C.block(3, 0, rows, columns) - expected).cwiseAbs().maxCoeff<Eigen::PropagateNaN>(),
              1e-13)
              << lanes->name << ", " << rows << " x " << depth << " x " << columns;
          C.block(3, 0, rows, columns).setConstant(std::nan(""));
          EXPECT_TRUE(C.array().isNaN().all()) << "beyond the product";
        }
}

/// A pivot in any place that is negative or NaN, in matrices of one tile and several.
TEST(Resampled, EveryInstructionSetTellsDefiniteMatrices) {
  test::Random random(5);
  for (const solver::LaneSolver* lanes : instruction_sets())
    for (const int size : {1, 3, 4, 8, 9, 21, 40}) {
      Eigen::MatrixXd L = 0.3 * random.normal(size, size);
      L.triangularView<Eigen::StrictlyUpper>().setZero();
      L.diagonal().setConstant(2);
      const auto is_definite = [&](const Eigen::VectorXd& pivots) {
        const Eigen::MatrixXd A = L * pivots.asDiagonal() * L.transpose();
        return lanes->is_positive_definite(A.data(), A.outerStride(), size);
      };
      Eigen::VectorXd pivots = Eigen::VectorXd::Ones(size);
      EXPECT_TRUE(is_definite(pivots)) << lanes->name << ", " << size;
      for (int k = 0; k < size; ++k)
        for (const double bad : {-0.1, std::nan("")}) {
          pivots[k] = bad;
          EXPECT_FALSE(is_definite(pivots)) << lanes->name << ", " << k << " of " << size;
          pivots[k] = 1;
        }
    }
  EXPECT_TRUE(solver::lane_solver().is_positive_definite(nullptr, 0, 0));
}

TEST(Resampled, EveryInstructionSetSumsDrawnBlocks) {
  using namespace solver;
  constexpr int kNumbers = kNumbersOfPart;
  test::Random random(3);
  const std::vector<std::vector<BlockDraw>> drawn = {{{0, 1.5}, {3, -2}}, {}, {{4, 0.25}}};
  std::vector<BlockDraws> draws;
  for (const auto& each : drawn) draws.push_back({each.data(), each.data() + each.size()});
  for (const LaneSolver* lanes : instruction_sets())
    for (const int num_parts : {0, 1, 3}) {
      const Eigen::MatrixXd blocks = random.normal(kNumbers, 5 * num_parts);
      Eigen::MatrixXd sums = without_numbers(kNumbers, 3 * num_parts + 1);
      lanes->sum_draws(blocks.data(), num_parts, 5, draws.data(), 3, sums.data());
      for (int part = 0; part < num_parts; ++part) {
        const auto of_part = blocks.middleCols(5 * part, 5);
        Eigen::MatrixXd expected(kNumbers, 3);
        expected << 1.5 * of_part.col(0) - 2 * of_part.col(3), Eigen::VectorXd::Zero(kNumbers),
            0.25 * of_part.col(4);
        EXPECT_LE(
            (sums.middleCols(3 * part, 3) - expected).cwiseAbs().maxCoeff<Eigen::PropagateNaN>(),
            1e-14)
            << lanes->name;
      }
      EXPECT_TRUE(sums.rightCols(1).array().isNaN().all()) << "beyond the sums";
    }
}

}  // namespace
}  // namespace heft
