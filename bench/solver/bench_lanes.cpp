// Time per problem of the parts of a step in a lane: the column "us measured" of
// bench/solver/README.md, for arms of seven bodies and fourteen friction terms. Compiled with the
// flags of the AVX-512 lanes (host/estimation/solve/CMakeLists.txt); without AVX-512 it reports
// that nothing was measured.
#define HEFT_SOLVE_TARGET avx512
#define HEFT_SOLVE_LANES 8
#define HEFT_SOLVE_TILE 4
#include <algorithm>
#include <cstdio>
#include <random>

#include "bench/timing.hpp"
#include "host/estimation/solve/batch/lane_algebra.hpp"

namespace heft::solver::HEFT_SOLVE_TARGET {

namespace {

constexpr int kBodies = 7, kUnknowns = 84;
constexpr int kRuns = 15, kCalls = 400;

// What a call costs each of its problems, over runs.
struct Cost {
  double median, least;
};

template <class Work>
Cost microseconds(const Work& work) {
  std::vector<double> times;
  for (int run = 0; run < kRuns; ++run) {
    const double start = bench::thread_microseconds();
    for (int call = 0; call < kCalls; ++call) work();
    times.push_back((bench::thread_microseconds() - start) / (kCalls * kPack));
  }
  std::sort(times.begin(), times.end());
  return {times[kRuns / 2], times[0]};
}

void measure() {
  std::mt19937_64 engine(1);
  std::normal_distribution<double> normal;
  const auto fill = [&](Pack& pack) {
    for (int l = 0; l < kPack; ++l) set_lane(pack, l, normal(engine));
  };
  LowerTiles<Many> Q(kUnknowns), factor(kUnknowns);
  for (int row = 0; row < kUnknowns; ++row) {
    for (int column = 0; column <= row; ++column) fill(Q.at(row, column));
    Q.at(row, row) += Pack(5.0 * kUnknowns);  // positive definite
  }
  for (int row = 0; row < kUnknowns; ++row) {  // tiles on the diagonal are full
    for (int column = row + 1; column < kUnknowns && column / Many::kTile == row / Many::kTile;
         ++column)
      Q.at(row, column) = Q.at(column, row);
  }
  Numbers<Many> given(kUnknowns), solution(kUnknowns);
  for (int i = 0; i < kUnknowns; ++i) fill(given[i]);
  core::Square<4, Pack> body;
  for (auto& row : body.at) {
    for (auto& entry : row) fill(entry);
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < i; ++j) body.at[j][i] = body.at[i][j];
  }

  Pack sum(0.0);  // keeps the computation from being optimized away
  std::printf("| step | us: median | least |\n|---|---|---|\n");
  const auto print = [](const char* step, const Cost& cost) {
    std::printf("| %s | %.2f | %.2f |\n", step, cost.median, cost.least);
  };
  print("Cholesky factor", microseconds([&] { cholesky(Q, factor); }));
  print("forward and backward substitution", microseconds([&] {
          solution = given;
          solve_forward(factor, solution);
          solve_backward(factor, solution);
        }));
  print("product with Q, for the gap",
        microseconds([&] { multiply_symmetric(Q, given, solution); }));
  print("eigenvectors of 7 blocks", microseconds([&] {
          for (int k = 0; k < kBodies; ++k) {
            body.at[0][0] += Pack(1e-3);  // another matrix every time
            sum += core::SymmetricEigen<4, Pack>(body).e[0];
          }
        }));
  volatile double used = lane(sum, 0);
  static_cast<void>(used);
}

}  // namespace

}  // namespace heft::solver::HEFT_SOLVE_TARGET

int main() {
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512dq")) {
    std::printf("not measured: no AVX-512\n");
    return 77;
  }
  heft::solver::HEFT_SOLVE_TARGET::measure();
  return 0;
}
