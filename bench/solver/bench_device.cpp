// The solver's batched kernels compared with cuSOLVER's, on a machine with a CUDA device; prints a
// table, or the reason why nothing was measured.
#include <fmt/format.h>

#include <cstdio>

#include "bench/solver/peers.hpp"

namespace {

using namespace heft;

constexpr int kNothingMeasured = 77;

void print(const std::string& what, int count, const std::vector<PeerTime>& times) {
  for (const PeerTime& time : times)
    fmt::print("| {} | {} | {} | {:.3f} | {:.0e} |\n", what, count, time.name,
               1e3 * time.microseconds / count, time.error);
}

Result<Done> measure() {
  constexpr int kProblems = 1000;
  for (const int size : {36, 84}) {
    HEFT_TRY(times, time_factorizations(size, kProblems));
    if (size == 36)
      fmt::print(
          "| batch | matrices | method | ns a matrix | worst error |\n|---|---|---|---|---|\n");
    print(fmt::format("Cholesky factor, {0}x{0}", size), kProblems, times);
  }
  // of seven bodies each, and more
  for (const int count : {7 * kProblems, 70 * kProblems, 700 * kProblems}) {
    HEFT_TRY(times, time_eigendecompositions(count));
    print("eigenvectors, 4x4", count, times);
  }
  return Done{};
}

}  // namespace

int main() {
  const auto measured = measure();
  if (measured) return 0;
  fmt::print("not measured: {}\n", measured.error().message());
  return kNothingMeasured;
}
