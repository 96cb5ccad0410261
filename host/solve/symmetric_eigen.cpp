#include "symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>

#include "svec.hpp"

// One version of the lane loops per instruction set, picked at load time; all give the same bits (no
// contraction).
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define HEFT_PER_INSTRUCTION_SET __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define HEFT_PER_INSTRUCTION_SET
#endif

namespace heft::solver {

namespace {

// place of entry (row, column) of a 4x4 symmetric matrix in svec order
constexpr int kPlace[4][4] = {{0, 1, 2, 3}, {1, 4, 5, 6}, {2, 5, 7, 8}, {3, 6, 8, 9}};
constexpr bool kDiagonal[10] = {true, false, false, false, true, false, false, true, false, true};
constexpr int kMaxSweeps = 10;

}  // namespace

HEFT_PER_INSTRUCTION_SET void symmetric_eigen(const SymmetricLanes& input, EigenLanes& result) {
  SymmetricLanes A = input;
  for (int k = 0; k < 16; ++k) std::fill(result.vector[k], result.vector[k] + kLanes, k % 5 == 0 ? 1.0 : 0.0);

  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    // done is a lane whose diagonal would not feel its off-diagonal entries
    alignas(64) bool done[kLanes];
    bool all_done = true;
    for (int l = 0; l < kLanes; ++l) {
      double off = 0, diagonal = 0;
      for (int k = 0; k < 10; ++k) {
        (kDiagonal[k] ? diagonal : off) += A.matrix[k][l] * A.matrix[k][l];
      }
      done[l] = off <= 1e-34 * diagonal;
      all_done = all_done && done[l];
    }
    if (all_done) break;
    for (int p = 0; p < 3; ++p) {
      for (int q = p + 1; q < 4; ++q) {
        // the rotation that makes entry (p, q) zero, by the smaller angle
        alignas(64) double cosine[kLanes], sine[kLanes], tangent[kLanes];
        double* apq = A.matrix[kPlace[p][q]];
        double* app = A.matrix[kPlace[p][p]];
        double* aqq = A.matrix[kPlace[q][q]];
        for (int l = 0; l < kLanes; ++l) {
          const double half = 0.5 * (aqq[l] - app[l]);
          const double length = std::abs(half) + std::sqrt(half * half + apq[l] * apq[l]);
          const double signed_apq = half < 0 ? -apq[l] : apq[l];
          tangent[l] = done[l] ? 0 : signed_apq / (length + 1e-300);
          cosine[l] = 1 / std::sqrt(1 + tangent[l] * tangent[l]);
          sine[l] = cosine[l] * tangent[l];
          app[l] -= tangent[l] * apq[l];
          aqq[l] += tangent[l] * apq[l];
          apq[l] = done[l] ? apq[l] : 0;
        }
        for (int r = 0; r < 4; ++r) {
          if (r != p && r != q) {
            double* arp = A.matrix[kPlace[r][p]];
            double* arq = A.matrix[kPlace[r][q]];
            for (int l = 0; l < kLanes; ++l) {
              const double x = arp[l], y = arq[l];
              arp[l] = cosine[l] * x - sine[l] * y;
              arq[l] = sine[l] * x + cosine[l] * y;
            }
          }
          double* vp = result.vector[4 * p + r];
          double* vq = result.vector[4 * q + r];
          for (int l = 0; l < kLanes; ++l) {
            const double x = vp[l], y = vq[l];
            vp[l] = cosine[l] * x - sine[l] * y;
            vq[l] = sine[l] * x + cosine[l] * y;
          }
        }
      }
    }
  }
  for (int i = 0; i < 4; ++i) std::copy_n(A.matrix[kPlace[i][i]], kLanes, result.value[i]);
}

HEFT_PER_INSTRUCTION_SET void prox_blocks4(const double* in, const double* t, int count, double* out) {
  for (int first = 0; first < count; first += kLanes) {
    const int lanes = std::min(kLanes, count - first);
    SymmetricLanes A{};
    for (int l = 0; l < lanes; ++l) {
      for (int k = 0; k < 10; ++k) {
        const double value = in[10 * (first + l) + k];
        A.matrix[k][l] = kDiagonal[k] ? value : value / kSqrt2;
      }
    }
    EigenLanes eigen;
    symmetric_eigen(A, eigen);

    for (int l = 0; l < lanes; ++l) {
      const double shift = 4 * t[first + l];
      double* block = out + 10 * (first + l);
      // a block inside the cone is its own projection, to the bit
      const double smallest =
          std::min({eigen.value[0][l], eigen.value[1][l], eigen.value[2][l], eigen.value[3][l]});
      if (shift == 0 && smallest >= 0) {
        std::copy_n(in + 10 * (first + l), 10, block);
        continue;
      }
      double d[4];
      for (int i = 0; i < 4; ++i) {
        const double v = eigen.value[i][l];
        const double root = std::sqrt(v * v + shift);
        // the second form does not cancel for v < 0
        d[i] = v >= 0 ? 0.5 * (v + root) : (shift == 0 ? 0.0 : 0.5 * shift / (root - v));
        if (!(v == v)) d[i] = v;
      }
      int k = 0;
      for (int column = 0; column < 4; ++column) {
        for (int row = column; row < 4; ++row, ++k) {
          double sum = 0;
          for (int i = 0; i < 4; ++i)
            sum += eigen.vector[4 * i + row][l] * d[i] * eigen.vector[4 * i + column][l];
          block[k] = row == column ? sum : kSqrt2 * sum;
        }
      }
    }
  }
}

}  // namespace heft::solver
