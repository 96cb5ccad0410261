// Additive sufficient statistics of a data set: per channel the packed upper triangle of sum (row)(row)',
// where row = [structural columns | extra columns | torque]. G, b and tau^2 of FORMULAS 2 are parts of it
// (DESIGN 3).
#pragma once

#include <map>
#include <vector>

#include "heft/backend.hpp"
#include "heft/normal_equations.hpp"
#include "heft/regressor_plan.hpp"
#include "heft/samples.hpp"

namespace heft {

struct Moments {
  PlanPtr plan;
  std::vector<double> packed;    ///< plan->packed_size sums, channel after channel
  std::vector<double> num_rows;  ///< used rows of every channel
};

Moments zero_moments(PlanPtr plan);

/// Moments = Moments + Moments. Error if the layouts differ (fingerprints).
Result<Done> add(Moments& into, const Moments& from);

/// Forgetting: multiplies all sums and row counts, factor >= 0.
void scale(Moments& moments, double factor);

/// Normal equations in the parameters of the layout, channels weighted by channel_weights[c] = 1 / s_c^2: the
/// full G = W' G_structural W is recovered exactly. A weight of zero leaves a channel out, its rows too.
NormalEquations normal_equations(const Moments& moments, const Eigen::VectorXd& channel_weights);

/// sum of squared residuals of one channel, tau^2 - 2 b'x + x'Gx, unweighted.
double residual_sum(const Moments& moments, int channel, const Eigen::VectorXd& parameters);

/// Sums a stream of sample blocks. Chunks merge as buddies of one binary tree per segment, segments in the
/// order of their ids: threads, read size and block size change no bit (FORMULAS 7).
class MomentAccumulator {
 public:
  MomentAccumulator(PlanPtr plan, Backend& backend);
  ~MomentAccumulator();
  MomentAccumulator(MomentAccumulator&&) noexcept;

  /// Blocks of one segment come in order; a new segment id ends the last segment.
  Result<Done> push(int segment, const Samples& block);

  /// Closes the last segment and returns the sum of all.
  Result<Moments> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heft
