// Memory of problems on a device, computed on the host: nothing overlaps, the budget that
// kernels/solve/semismooth.cu states, and the order of transfer.
#include "kernels/solve/layout.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/solve/packing.hpp"
#include "kernels/solve/waves.hpp"

namespace heft {
namespace {

using cuda::ProblemShape;

const ProblemShape kShapes[] = {{10, 10, 1}, {11, 11, 1}, {36, 36, 3},
                                {35, 33, 3}, {84, 84, 7}, {372, 372, 31}};

/// Parts of an array: where each begins and ends.
void expect_disjoint(std::vector<std::pair<const double*, const double*>> parts,
                     const double* begin, const double* end) {
  std::sort(parts.begin(), parts.end());
  EXPECT_EQ(parts.front().first, begin);
  EXPECT_EQ(parts.back().second, end);
  for (std::size_t k = 1; k < parts.size(); ++k) EXPECT_LE(parts[k - 1].second, parts[k].first);
}

TEST(SolveLayout, PartsDoNotOverlap) {
  for (const ProblemShape& shape : kShapes) {
    SCOPED_TRACE(shape.num_variables);
    const int n = shape.padded(), m = shape.num_conic,
              triangle = cuda::TiledMatrix::size_for(shape.num_tiles());
    EXPECT_GE(n, shape.num_variables);
    std::vector<double> memory(cuda::PackedProblem::size_for(shape));
    const cuda::PackedProblem problem(shape, memory.data());
    expect_disjoint({{problem.Q, problem.Q + triangle},
                     {problem.c, problem.c + n},
                     {problem.shift, problem.shift + n},
                     {problem.weight, problem.weight + n},
                     {problem.center, problem.center + n},
                     {problem.scalars, problem.scalars + cuda::PackedProblem::kScalars}},
                    memory.data(), memory.data() + memory.size());

    const int num_threads = 32;
    std::vector<double> factors(2 * cuda::Workspace::factor_size(shape)),
        vectors(cuda::Workspace::vector_size(shape, num_threads));
    const cuda::Workspace at(shape, factors.data(), factors.data() + factors.size() / 2,
                             vectors.data());
    std::vector<std::pair<const double*, const double*>> parts;
    for (const double* vector : {at.y, at.dy, at.slack, at.gradient, at.residual, at.c})
      parts.push_back({vector, vector + n});
    for (const double* vector : {at.lambda, at.lambda_next, at.pull})
      parts.push_back({vector, vector + m});
    parts.push_back({reinterpret_cast<const double*>(at.bodies),
                     reinterpret_cast<const double*>(at.bodies + shape.num_psd4)});
    parts.push_back({at.row_curvature, at.row_curvature + shape.num_rows()});
    parts.push_back({at.sums, at.sums + num_threads});
    expect_disjoint(parts, vectors.data(), vectors.data() + vectors.size());
    expect_disjoint({{at.factor.L.data, at.factor.L.data + triangle},
                     {at.factor.inverse, factors.data() + factors.size() / 2},
                     {at.factor_of_Q.L.data, at.factor_of_Q.L.data + triangle},
                     {at.factor_of_Q.inverse, factors.data() + factors.size()}},
                    factors.data(), factors.data() + factors.size());
    // copied in one go, so one after the other
    EXPECT_EQ(at.factor.inverse, at.factor.L.data + triangle);
    EXPECT_EQ(at.factor_of_Q.inverse, at.factor_of_Q.L.data + triangle);
  }
}

// shared memory of a block and of a multiprocessor, from the CUDA programming guide
constexpr int kKilobyte = 1024, kBlockOfSm80 = 163 * kKilobyte, kBlockOfSm90 = 227 * kKilobyte,
              kBlockOfSm120 = 99 * kKilobyte;

TEST(SolveLayout, TheBudgetIsAsStated) {
  const cuda::Placement seven = cuda::place({84, 84, 7}, kBlockOfSm120);
  EXPECT_TRUE(seven.factor_is_shared);
  EXPECT_EQ(seven.num_threads, 128);
  EXPECT_EQ(seven.shared_bytes, 42912);
  EXPECT_EQ(164 * kKilobyte / (seven.shared_bytes + kKilobyte), 3);
  EXPECT_EQ(228 * kKilobyte / (seven.shared_bytes + kKilobyte), 5);
  EXPECT_EQ(100 * kKilobyte / (seven.shared_bytes + kKilobyte), 2);
  EXPECT_EQ(8 * cuda::TiledMatrix::size_for(21), 31416);
  EXPECT_EQ(8 * seven.scratch_size, 34272);

  const cuda::Placement three = cuda::place({36, 36, 3}, kBlockOfSm80);
  EXPECT_EQ(three.num_threads, 32);
  EXPECT_EQ(228 * kKilobyte / (three.shared_bytes + kKilobyte), 19);

  const cuda::Placement humanoid = cuda::place({372, 372, 31}, kBlockOfSm90);
  EXPECT_FALSE(humanoid.factor_is_shared);
  EXPECT_LE(humanoid.shared_bytes, kBlockOfSm120);
  EXPECT_EQ(humanoid.scratch_size, 2 * cuda::Workspace::factor_size({372, 372, 31}));
}

// its bytes are more than an int counts
TEST(SolveLayout, AFactorOfGigabytesIsNotInSharedMemory) {
  const ProblemShape shape{24'000, 24'000, 2400};
  ASSERT_GT(8.0 * cuda::Workspace::factor_size(shape), 2147483647.0);
  const cuda::Placement placement = cuda::place(shape, kBlockOfSm90);
  EXPECT_FALSE(placement.factor_is_shared);
  EXPECT_GT(placement.shared_bytes,
            kBlockOfSm90);  // the vectors alone, so that the batch is refused
}

// another order, signs and padding: entry by entry
TEST(SolveLayout, PackingPutsEveryEntryWhereTheKernelLooks) {
  const ProblemShape shape{11, 11, 1};
  const int n = 11;
  Eigen::MatrixXd Q = Eigen::MatrixXd::Random(n, n);
  Q = (Q + Q.transpose()).eval();
  Eigen::VectorXd sign = Eigen::VectorXd::Ones(n);
  sign[2] = sign[7] = -1;
  std::vector<int> order;
  for (int i = 0; i < n; ++i) order.push_back((3 * i + 4) % n);
  const Eigen::VectorXd c = Eigen::VectorXd::Random(n), shift = Eigen::VectorXd::Random(n),
                        weight = Eigen::VectorXd::Random(n), center = Eigen::VectorXd::Random(n);
  std::vector<double> memory(cuda::PackedProblem::size_for(shape), NAN);
  cuda::pack({Q.data(), order.data(), sign.data(), false, c.data(), shift.data(), 0.25,
              weight.data(), center.data(), 1e-12, 0.5},
             shape, memory.data());
  const cuda::PackedProblem packed(shape, memory.data());
  const cuda::TiledMatrix tiles{packed.Q, shape.num_tiles()};
  for (int row = 0; row < shape.padded(); ++row) {
    for (int column = 0; column <= row; ++column) {
      const double expected =
          row < n ? sign[row] * sign[column] * Q(order[row], order[column]) : row == column;
      EXPECT_EQ(tiles.at(row, column), expected) << row << " " << column;
      if (row / 4 == column / 4) {  // a tile on the diagonal is full
        EXPECT_EQ(tiles.tile(row / 4, row / 4)[4 * (row % 4) + column % 4], expected);
      }
    }
  }
  const std::pair<const double*, const Eigen::VectorXd*> vectors[] = {
      {packed.c, &c}, {packed.shift, &shift}, {packed.weight, &weight}, {packed.center, &center}};
  for (const auto& [memory_of, expected] : vectors)
    for (int i = 0; i < shape.padded(); ++i) EXPECT_EQ(memory_of[i], i < n ? (*expected)[i] : 0);
  EXPECT_EQ(packed.scalars[0], 0.25);
  EXPECT_EQ(packed.scalars[1], 1e-12);
  EXPECT_EQ(packed.scalars[2], 0.5);
}

TEST(SolveLayout, OnlyConvergedAnswersAreWritten) {
  const ProblemShape shape{12, 11, 1};
  std::vector<double> memory(cuda::PackedAnswer::size_for(shape));
  for (std::size_t k = 0; k < memory.size(); ++k) memory[k] = static_cast<double>(k);
  const cuda::PackedAnswer packed(shape, memory.data());
  double y[12], lambda[11];
  std::fill(y, y + 12, NAN);
  solver::PlainAnswer answer;
  answer.y = y;
  answer.lambda = lambda;
  for (const double converged : {0.0, std::nan(""), 1.0}) {
    packed.scalars[0] = converged;
    packed.scalars[1] = 7;
    cuda::unpack(memory.data(), shape, answer);
    EXPECT_EQ(answer.converged, converged == 1);
    EXPECT_EQ(answer.steps, 7);
    EXPECT_EQ(std::isnan(y[11]), converged != 1);
  }
  EXPECT_EQ(y[11], 11);
  EXPECT_EQ(lambda[10], 22);
  EXPECT_EQ(answer.objective, packed.scalars[2]);
  EXPECT_EQ(answer.gap, packed.scalars[3]);
}

TEST(SolveWaves, EveryProblemComesOnceAndNoSlotBeforeItsTime) {
  for (const std::size_t count : {1, 2, 7, 8, 9, 16, 17}) {
    for (const std::size_t wave : {1, 2, 8, 100}) {
      std::vector<int> begun(count), finished(count);
      std::size_t last_begun = 0, last_finished = 0, in_flight = 0, most = 0;
      bool busy[cuda::kWaveSlots] = {};
      const auto begin = [&](std::size_t slot, std::size_t first,
                             std::size_t size) -> Result<Done> {
        EXPECT_FALSE(std::exchange(busy[slot], true));
        EXPECT_EQ(first, last_begun);
        last_begun += size;
        most = std::max(most, ++in_flight);
        for (std::size_t k = 0; k < size; ++k) ++begun[first + k];
        return Done{};
      };
      const auto finish = [&](std::size_t slot, std::size_t first,
                              std::size_t size) -> Result<Done> {
        EXPECT_TRUE(std::exchange(busy[slot], false));
        EXPECT_EQ(first, last_finished);
        last_finished += size;
        --in_flight;
        for (std::size_t k = 0; k < size; ++k) ++finished[first + k];
        return Done{};
      };
      EXPECT_TRUE(cuda::in_waves(count, wave, begin, finish));
      EXPECT_EQ(begun, std::vector<int>(count, 1));
      EXPECT_EQ(finished, begun);
      EXPECT_EQ(most, count > wave ? 2u : 1u);
    }
  }
}

TEST(SolveWaves, StopAtTheFirstError) {
  int calls = 0;
  const auto done = [&](std::size_t, std::size_t, std::size_t) -> Result<Done> {
    return ++calls, Done{};
  };
  const auto failed = [&](std::size_t, std::size_t, std::size_t) -> Result<Done> {
    return ++calls, Error{"wave", "failed", ""};
  };
  EXPECT_FALSE(cuda::in_waves(10, 1, failed, done));
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(cuda::in_waves(10, 1, done, failed));
  EXPECT_EQ(calls, 1 + 3);  // two begun, one finished
}

}  // namespace
}  // namespace heft
