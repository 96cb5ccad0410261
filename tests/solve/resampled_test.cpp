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
/// and one whose columns and first bodies share no row.
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
  const auto& [whole, blocks] = all[1];
  const auto one = solve_resampled(whole, blocks, draws),
             three = solve_resampled(whole, blocks, draws, {}, 3);
  ASSERT_TRUE(one);
  ASSERT_TRUE(three);
  EXPECT_EQ(one->x, three->x);
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

/// As many sums as go together, fewer and more.
TEST(Resampled, EveryInstructionSetSumsColumns) {
  using namespace solver;
  std::vector<const LaneSolver*> all = {&kLaneSolverBaseline};
  if (processor_has_avx2()) all.push_back(&kLaneSolverAvx2);
  if (processor_has_avx512()) all.push_back(&kLaneSolverAvx512);
  test::Random random(3);
  for (const LaneSolver* lanes : all)
    for (const int num_tiles : {1, 2, 7})
      for (const int num_sums : {1, 3, 4, 7, 8, 9, 17}) {
        const Eigen::MatrixXd tiles = random.normal(kRowsOfTile, 5 * num_tiles),
                              weights = random.normal(5, num_sums);
        Eigen::MatrixXd sums =
            Eigen::MatrixXd::Constant(kRowsOfTile, num_sums * num_tiles + 1, std::nan(""));
        lanes->weighted_sums(tiles.data(), num_tiles, 5, weights.data(), num_sums, sums.data());
        for (int t = 0; t < num_tiles; ++t) {
          const Eigen::MatrixXd expected = tiles.middleCols(5 * t, 5) * weights,
                                found = sums.middleCols(num_sums * t, num_sums);
          EXPECT_LE((found - expected).cwiseAbs().maxCoeff<Eigen::PropagateNaN>(), 1e-14)
              << lanes->name << ", " << num_tiles << " x " << num_sums;
        }
        EXPECT_TRUE(sums.rightCols(1).array().isNaN().all()) << "beyond the sums";
      }
}

}  // namespace
}  // namespace heft
