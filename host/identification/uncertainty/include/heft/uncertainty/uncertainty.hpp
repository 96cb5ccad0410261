// How sure the answer is: intervals where the data decide, and a plain word where the prior does
// (FORMULAS 6).
//
// Base parameters and extra columns: what the data determine by themselves, with the block sandwich
// of error_bars.hpp. Parameters of single bodies: a bootstrap over blocks with prior and
// constraints active, widened by what the prior's own error may do (prior_pull). A parameter that
// the prior decides gets no interval. Threads: any number of threads may call, each with objects of
// its own; what is const may be shared.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "heft/executor/executor.hpp"
#include "heft/solve/constraints.hpp"
#include "heft/solve/prior.hpp"
#include "heft/training/training_data.hpp"
#include "heft/uncertainty/error_bars.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct Interval {
  double lower = 0, upper = 0;
};

struct UncertaintyOptions {
  double confidence = 0.95;  ///< of the intervals, in (0, 1)
  int bootstrap = 200;       ///< resamples behind the intervals of physical parameters; 0: none
};

/// How the torque scales of channels enter the estimate: with the torque of channel c times 1 +
/// e_c, the information times the estimate changes by times_estimate * e.
struct ChannelParts {
  /// Q x C, K_c theta of each channel: sums to ErrorBars::information times the estimate. Empty:
  /// not known.
  Eigen::MatrixXd times_estimate;
  Eigen::VectorXd score;  ///< C, product of predicted and residual torque, in units of the
                          ///< information
};

struct Uncertainty {
  double confidence = 0.95;  ///< of all intervals
  int num_blocks = 0;        ///< of the log, about independent of each other; 0: see no_intervals
  double shortest_block_s = 0;
  int num_resamples = 0;     ///< of the bootstrap
  std::string no_intervals;  ///< why there are none; empty if there are

  std::vector<std::string> quantities;  ///< base parameters, then columns
  ErrorBars base;                       ///< of the quantities, without prior
  ChannelParts channels;                ///< of `base`; empty where rows of channels are whitened
  int rank = 0;                         ///< directions of the quantities that the log excites
  std::vector<std::string> unexcited;   ///< combinations of quantities that it does not

  Eigen::VectorXd prior_shares;                    ///< of every parameter of the layout, 0 to 1
  std::vector<std::optional<Interval>> intervals;  ///< of every parameter of the layout

  bool is_set_by_prior(int parameter) const { return !(prior_shares[parameter] <= kSetByPrior); }
};

/// Everything above for `parameters`, the optimum of the problem with this prior and these
/// constraints, which `solving` solves. `channel_weights` as in Identification; `rank_cut`:
/// singular values below this fraction of the largest are unseen directions. Data too short for
/// blocks are no error: shares are still there, and no_intervals says what is not. Errors: a
/// confidence that is none, a negative number of resamples; those of prior_shares and make_problem;
/// stopped().
Result<Uncertainty> quantify_uncertainty(const TrainingData& data,
                                         const Eigen::VectorXd& channel_weights, const Prior& prior,
                                         const Constraints& constraints, const Solving& solving,
                                         double rank_cut, const Eigen::VectorXd& parameters,
                                         const UncertaintyOptions& options = {});

}  // namespace heft
#pragma GCC visibility pop
