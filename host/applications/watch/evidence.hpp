// Evidence for a change theta of up to four numbers, from sums over whitened residuals z and the
// effect s of a unit of theta on them:
//
//   A = sum s s'      g = sum s z
//
// If nothing changed and z are standard normal, the mixture over theta ~ N(0, 1) of likelihood
// ratios is a martingale of mean 1 [Robbins 1970], an e-value at every time:
//
//   log E = -1/2 log det(1 + A) + 1/2 g' (1 + A)^-1 g
//
// No model is exact, so small deviations do not count as a change. The likelihood ratio of the best
// theta0 with |theta0| <= radius, in the direction of the estimate, is subtracted:
//
//   g'theta0 - 1/2 theta0'A theta0
#pragma once

namespace heft::watch {

inline constexpr int kMostSizes = 4;

struct Evidence {
  double log_e = 0;
  double explained = 0;          ///< g' (1 + A)^-1 g: squares that the change explains
  double size[kMostSizes] = {};  ///< (1 + A)^-1 g
  double deviation[kMostSizes] = {};
};

/// `sums`: the lower triangle of A row by row, then g. `inflation` >= 1: variance of the sums
/// relative to independent z; A and g are divided by it. `radius`: size of changes that do not
/// count.
Evidence evidence_of(const double* sums, int num_sizes, double inflation, double radius);

/// Sets `step` to (A + ridge 1)^-1 g.
void newton_step(const double* sums, int num_sizes, double ridge, double* step);

constexpr int num_sums(int num_sizes) {
  return num_sizes * (num_sizes + 3) / 2;
}

}  // namespace heft::watch
