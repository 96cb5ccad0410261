// Algebra of tiles (kernels/solve/tiles.hpp), executed on the host: index maps, and factors and
// products by an emulated block, compared with Eigen.
#include "kernels/solve/tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "linalg/factorizations.hpp"
#include "tests/conformance/emulated_block.hpp"

namespace heft {
namespace {

using cuda::TiledFactor;
using cuda::TiledMatrix;
using Order = testing::EmulatedBlock::Order;

TEST(SolveTiles, TrianglePlacesAreCountedRowByRow) {
  int index = 0;
  for (int row = 0; row < 2000; ++row) {
    for (int column = 0; column <= row; ++column, ++index) {
      const cuda::TrianglePlace place = cuda::triangle_place(index);
      ASSERT_EQ(place.row, row) << index;
      ASSERT_EQ(place.column, column) << index;
    }
  }
}

TEST(SolveTiles, EveryEntryHasItsOwnPlace) {
  for (const int tiles : {1, 2, 21, 93}) {
    TiledMatrix matrix{nullptr, tiles};
    std::vector<double> memory(matrix.size());
    matrix.data = memory.data();
    std::set<const double*> places;
    for (int row = 0; row < matrix.rows(); ++row) {
      for (int column = 0; column <= row; ++column) {
        const double* const place = &matrix.at(row, column);
        EXPECT_GE(place, memory.data());
        EXPECT_LT(place, memory.data() + memory.size());
        EXPECT_TRUE(places.insert(place).second) << row << " " << column;
      }
    }
  }
}

// what the stride of 17 is for: sixteen 8-byte words a cycle, one a bank
TEST(SolveTiles, NeighboringTilesShareFewBanks) {
  TiledMatrix matrix{nullptr, 93};
  std::vector<double> memory(matrix.size());
  matrix.data = memory.data();
  const auto most_in_one_bank = [&](int I, int J, int down, int right) {
    int hits[16] = {};
    for (int k = 0; k < 16; ++k)
      ++hits[(matrix.tile(I + k * down, J + k * right) - matrix.data) % 16];
    return *std::max_element(hits, hits + 16);
  };
  for (int I = 15; I < 93; ++I)
    for (int J = 0; J + 15 <= I; ++J) EXPECT_EQ(most_in_one_bank(I, J, 0, 1), 1);
  for (int J = 0; J < 77; ++J)
    for (int I = J; I + 15 < 93; ++I) EXPECT_LE(most_in_one_bank(I, J, 1, 0), 2);
}

// The matrix in tiles, what lies between them NaN.
std::vector<double> tiled(const Eigen::MatrixXd& A) {
  const int tiles = static_cast<int>(A.rows()) / cuda::kTileSize;
  std::vector<double> memory(TiledMatrix::size_for(tiles), NAN);
  const TiledMatrix matrix{memory.data(), tiles};
  for (int I = 0; I < tiles; ++I)
    for (int J = 0; J <= I; ++J)
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) matrix.tile(I, J)[4 * c + r] = A(4 * I + r, 4 * J + c);
  return memory;
}

struct Case {
  int num_threads;
  Order order;
};

class SolveTilesInABlock : public ::testing::TestWithParam<Case> {};

TEST_P(SolveTilesInABlock, FactorsAndSolvesAsEigenDoes) {
  for (const int n : {4, 12, 32, 84}) {
    std::srand(static_cast<unsigned>(n));
    const Eigen::MatrixXd B = Eigen::MatrixXd::Random(n, n);
    const Eigen::MatrixXd A = B * B.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n);
    const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
    const std::vector<double> matrix = tiled(A);
    std::vector<double> factor_memory = matrix, inverse(TiledFactor::inverse_size(n / 4), NAN);
    Eigen::VectorXd v = b, z = Eigen::VectorXd::Constant(n, NAN), x = z, product = z;
    testing::EmulatedBlock emulated(GetParam().num_threads, GetParam().order);
    const bool is_uniform = emulated.run([&](const auto& block) {
      const TiledFactor factor{{factor_memory.data(), n / 4}, inverse.data()};
      cholesky(block, factor);
      solve_forward(block, factor, v.data(), z.data());
      Eigen::VectorXd& used_up = v;
      cuda::each(block, n, [&](int i) { used_up[i] = z[i]; });
      solve_backward(block, factor, used_up.data(), x.data());
      std::vector<double> untouched = matrix;
      multiply(block, TiledMatrix{untouched.data(), n / 4}, b.data(), product.data());
    });
    EXPECT_TRUE(is_uniform);
    const Eigen::LLT<Eigen::MatrixXd> reference(A);
    const double eps = 2.3e-16, condition = A.norm() * A.inverse().norm();
    EXPECT_LE((z - reference.matrixL().solve(b)).norm(), n * eps * condition * z.norm());
    EXPECT_LE((A * x - b).norm(), n * eps * A.norm() * x.norm());
    EXPECT_LE((product - A * b).norm(), n * eps * A.norm() * b.norm());
  }
}

TEST_P(SolveTilesInABlock, SumsAreThoseOfAllThreads) {
  for (const int count : {0, 1, 5, 84, 1000}) {
    std::vector<double> scratch(GetParam().num_threads, NAN);
    std::vector<double> totals;
    testing::EmulatedBlock emulated(GetParam().num_threads, GetParam().order);
    EXPECT_TRUE(emulated.run([&](const auto& block) {
      totals.push_back(cuda::sum(block, count, scratch.data(), [](int i) { return i + 1.0; }));
    }));
    EXPECT_EQ(static_cast<int>(totals.size()), GetParam().num_threads);
    for (const double total : totals) EXPECT_EQ(total, 0.5 * count * (count + 1));
  }
}

TEST_P(SolveTilesInABlock, AnIndefiniteMatrixGivesNaN) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(8, 8);
  A(5, 5) = -1;
  std::vector<double> memory = tiled(A), inverse(TiledFactor::inverse_size(2), 0.0);
  Eigen::VectorXd v = Eigen::VectorXd::Ones(8), z = Eigen::VectorXd::Zero(8);
  testing::EmulatedBlock emulated(GetParam().num_threads, GetParam().order);
  emulated.run([&](const auto& block) {
    const TiledFactor factor{{memory.data(), 2}, inverse.data()};
    cholesky(block, factor);
    solve_forward(block, factor, v.data(), z.data());
  });
  EXPECT_TRUE(std::isnan(z[5]));
}

// No code writes the padding of tiles, so none may read it: in memory of a device it is what was
// there before.
TEST_P(SolveTilesInABlock, CopiesAFactorWithoutThePaddingOfItsTiles) {
  const int num_tiles = 3,
            num_doubles = TiledMatrix::size_for(num_tiles) + TiledFactor::inverse_size(num_tiles);
  std::vector<double> from(num_doubles), to(num_doubles, -1);
  for (int k = 0; k < num_doubles; ++k) from[k] = k % 17 == 16 ? std::nan("") : k;
  testing::EmulatedBlock emulated(GetParam().num_threads, GetParam().order);
  const auto factor_in = [&](std::vector<double>& memory) {
    return TiledFactor{{memory.data(), num_tiles},
                       memory.data() + TiledMatrix::size_for(num_tiles)};
  };
  EXPECT_TRUE(
      emulated.run([&](const auto& block) { copy_factor(block, factor_in(from), factor_in(to)); }));
  for (int k = 0; k < num_doubles; ++k) EXPECT_EQ(to[k], k % 17 == 16 ? -1 : k) << k;
}

INSTANTIATE_TEST_SUITE_P(Blocks, SolveTilesInABlock,
                         ::testing::Values(Case{1, Order::ascending}, Case{32, Order::ascending},
                                           Case{32, Order::descending}),
                         [](const auto& block) {
                           return std::to_string(block.param.num_threads) +
                                  (block.param.order == Order::ascending ? "_ascending"
                                                                         : "_descending");
                         });

}  // namespace
}  // namespace heft
