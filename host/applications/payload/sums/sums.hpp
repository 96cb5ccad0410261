// Sums over samples from which every method starts: per channel Y'Y, Y'b and b'b about the means of
// the samples that share a bias. This eliminates the biases exactly, as unknowns without a prior
// (FORMULAS 8):
//
//   min over x, b  sum_k |Y_k x + b - w_k|^2   is
//   min over x  sum_k |(Y_k - mean Y) x - (w_k - mean w)|^2
#pragma once

#include <array>

#include "heft/moments/normal_equations.hpp"
#include "heft/payload/options.hpp"
#include "heft/payload/samples.hpp"
#include "methods/one_body.hpp"

namespace heft::payload {

struct Sums {
  Sums() {
    for (int c = 0; c < 6; ++c) G[c].setZero(), b[c].setZero();
  }

  std::array<Matrix10d, 6> G;
  std::array<BodyParameters, 6> b;
  Vector6d wrench2 = Vector6d::Zero();
  double num_samples = 0;
  double regressor_norm2 = 0;  ///< tr(Y'Y) of all rows about zero
  int num_offsets = 0;         ///< number of bias unknowns per channel; 0 without biases
  double force_dot_u = 0,
         u_dot_u = 0;  ///< sums about the means [N m/s^2], [m^2/s^4]; their ratio guesses the mass

  double mass_guess() const { return u_dot_u > 0 ? force_dot_u / u_dot_u : 0; }
  double num_rows() const { return 6 * num_samples; }
};

/// Group of samples with a common bias to which a segment belongs.
std::vector<int> bias_groups(const WrenchSamples& samples, BiasKind bias);

struct SampleRange {
  Eigen::Index begin = 0, size = 0;
};

/// Ranges of consecutive samples, one per group. Empty without biases.
std::vector<SampleRange> bias_ranges(const WrenchSamples& samples, BiasKind bias);

/// Orthonormal polynomials in time for the offset of a range with drift, size x unknowns.
Eigen::MatrixXd drift_polynomials(const WrenchSamples& samples, const SampleRange& range);

/// Number of unknown offsets per channel.
int num_offsets(const WrenchSamples& samples, BiasKind bias);

/// Subtracts from columns of values, one row per sample, the part that unknown offsets explain: the
/// mean of every group, or a drift.
template <class Rows>
void remove_offsets(const WrenchSamples& samples, BiasKind bias, Rows& rows) {
  for (const SampleRange& range : bias_ranges(samples, bias)) {
    auto part = rows.middleRows(range.begin, range.size);
    if (bias != BiasKind::drift) {
      part.rowwise() -= part.colwise().mean().eval();
      continue;
    }
    const Eigen::MatrixXd Q = drift_polynomials(samples, range);
    const Eigen::MatrixXd along = Q.transpose() * part.matrix();
    part.matrix() -= Q * along;
  }
}

Sums sums_of(const WrenchSamples& samples, BiasKind bias);

/// Combines channels with `weights`, one per channel.
WeightedSums weighted(const Sums& sums, const Vector6d& weights);

/// The same for the files below.
NormalEquations normal_equations(const Sums& sums, const Vector6d& weights);

/// Root mean squares of the residuals of x, per channel; at least 3e-7 of the channel's own.
Vector6d residual_rms(const Sums& sums, const BodyParameters& x);

/// Groups x 6: mean residual, which is the bias of every group (its average if it drifts); zeros
/// for one group without a bias.
Eigen::ArrayXXd biases_of(const WrenchSamples& samples, BiasKind bias, const BodyParameters& x);

/// Groups x 6: drift of the bias from the first to the last sample of every group.
Eigen::ArrayXXd drifts_of(const WrenchSamples& samples, const BodyParameters& x);

/// Samples x 6: wrench - rows x - bias.
Eigen::ArrayXXd residuals_of(const WrenchSamples& samples, BiasKind bias, const BodyParameters& x);

}  // namespace heft::payload
