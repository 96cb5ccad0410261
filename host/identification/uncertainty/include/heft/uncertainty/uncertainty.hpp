// How sure the answer is: intervals where the data decide, and a plain word where the prior does
// (FORMULAS 6).
//
// Base parameters and extra columns: what the data determine by themselves, from the moments of
// blocks of the log, without a second pass (error_bars). Parameters of single bodies: a bootstrap
// over blocks with prior and constraints active, widened by what the prior's own error may do
// (prior_pull). A parameter that the prior decides gets no interval.
//
// Filtered noise is not independent from sample to sample, so that the textbook covariance is far
// too small. Blocks much longer than the filter's memory are nearly independent of each other:
//
//   H   = sum_b G_b
//   s_b = b_b - G_b theta
//   C   = H^-1 (sum_b s_b s_b') H^-1 B / (B - 1)
//
// with (G_b, b_b) the weighted normal equations of block b = 1 .. B and C the covariance of theta.
// Threads: any number of threads may call, each with objects of its own; what is const may be
// shared.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "heft/executor/executor.hpp"
#include "heft/moments/moments.hpp"
#include "heft/observe/observe.hpp"
#include "heft/solve/prior.hpp"
#include "heft/solve/problem.hpp"
#include "heft/training/training_data.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Quantities theta that determine every torque, Q of them for the P parameters x of a layout: with
/// the combinations theta = R x of any x, E theta has the torques of x.
struct BaseQuantities {
  Eigen::MatrixXd E;               ///< P x Q, from quantities to parameters of the layout
  Eigen::MatrixXd R;               ///< Q x P, from parameters of the layout to quantities; R E = 1
  std::vector<std::string> names;  ///< "Izz_upper + 0.2 m_fore", "viscous elbow"
};

/// The base parameters of a robot and then the extra columns of the layout. Fails if the layout
/// lacks a body. R of a symmetric body reads its four parameters from its ten.
Result<BaseQuantities> base_quantities(const Observability& observability,
                                       const ParameterLayout& layout);

struct ErrorBarOptions {
  double confidence = 0.95;  ///< of the intervals, in (0, 1)
  int min_blocks = 24;       ///< fewer say too little about their own scatter
  double rank_cut = 1e-7;    ///< singular values below this fraction of the largest are unseen
                             ///< directions
};

struct ErrorBars {
  Eigen::VectorXd estimate;        ///< Q, least squares over all blocks, SI units
  Eigen::VectorXd standard_error;  ///< Q; infinite where the data do not determine the quantity
  Eigen::VectorXd half_width;  ///< Q, Student's t of B - 1 degrees of freedom times the standard
                               ///< error
  Eigen::MatrixXd covariance;  ///< Q x Q, of the directions that the data see
  std::vector<bool> is_determined;  ///< Q, whether the data determine the quantity
  Eigen::MatrixXd unseen;  ///< Q x those directions of the quantities that the data leave open
  /// Q x Q, H over the number of rows that are worth one, mean of the directions that the data see:
  /// tr(H^-1 sum_b s_b s_b') over their number. Its inverse is a covariance that has full rank even
  /// of few blocks, and zero of it is what the data leave open.
  Eigen::MatrixXd information;
  int num_blocks = 0;
};

/// Error bars from the normal equations of blocks, all with the same channel weights. Blocks should
/// each span at least ten time constants of the filter. Fails on too few blocks, sizes that
/// disagree, or numbers that are not finite.
Result<ErrorBars> error_bars(const std::vector<NormalEquations>& blocks,
                             const BaseQuantities& quantities, const ErrorBarOptions& options = {});

/// The same from moments, channels weighted by channel_weights[c] = 1 / s_c^2.
Result<ErrorBars> error_bars(const std::vector<Moments>& blocks,
                             const Eigen::VectorXd& channel_weights,
                             const BaseQuantities& quantities, const ErrorBarOptions& options = {});

/// Above this share a parameter is "set by the prior", and its interval would only collapse onto
/// the prior.
inline constexpr double kSetByPrior = 0.5;

/// Share of every parameter of the layout that the prior decides, in [0, 1]: the variance that is
/// left when data and prior are both heard over that of the prior alone,
///   (G / N + W)^-1_kk / (W^-1)_kk
/// with W the curvature of the prior, its weight included, at its reference. 1 for held bodies, 0
/// without a prior. Fails on sizes that disagree or numbers that are not finite.
Result<Eigen::VectorXd> prior_shares(const ParameterLayout& layout,
                                     const NormalEquations& equations, const Prior& prior);

/// Standard deviation of what the prior's own error does to every parameter, in SI units. The
/// answer is nearly x = x_data - S (x_data - x0) with
///   S = (G / N + W)^-1 W
/// so an error e of the prior moves it by S e. How large e is, the data say where they see: its
/// covariance is taken as v W^-1, v such that
///   (x - x0)' W (x - x0) = v tr(W (1 - S) W^-1 (1 - S)')
/// over the inertial parameters. Extra columns take the same v. 0 for held bodies and without a
/// prior. Errors of prior_shares.
Result<Eigen::VectorXd> prior_pull(const ParameterLayout& layout, const NormalEquations& equations,
                                   const Prior& prior, const Eigen::VectorXd& parameters);

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
