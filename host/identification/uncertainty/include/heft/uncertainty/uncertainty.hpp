// Uncertainty of the estimate: intervals where the data determine a parameter, and a note where the
// prior does (FORMULAS 6).
//
// An interval of confidence c refers to repetitions of noise and prior: the same motion is recorded
// again with other noise, and another robot file is equally wrong. Its half-width h satisfies
//
//   P(|e + b| <= h) = c,     e = sqrt(v) times Student's t,     v = v_noise + v_prior
//
// with b the systematic part that the low-pass causes (put_systematic), which is known and has no
// distribution. v_noise follows from the scatter of a dozen long blocks of the log, whose noise is
// nearly independent, and v_prior from the distance between estimate and prior (prior_error).
// Neither includes errors of the kinematics or of the form of the model; intervals include errors
// of the torque scale and of the time offset only if the options give their size.
//
// Base parameters and extra columns use least squares without a prior; parameters of single bodies
// the estimate itself. A parameter that the prior determines has no interval.
//
// ErrorBars::covariance comes from all blocks, without the corrections of intervals:
//
//   H   = sum_b G_b
//   s_b = b_b - G_b theta
//   C   = H^-1 (sum_b s_b s_b') H^-1 B / (B - 1)
//
// with (G_b, b_b) the weighted normal equations of block b = 1 .. B.
// Threads: safe to call from several threads on separate objects; const objects may be shared.
#pragma once

#include <Eigen/Core>
#include <array>
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
/// theta = R x for any x, E theta gives the same torques as x.
struct BaseQuantities {
  Eigen::MatrixXd E;               ///< P x Q, from quantities to parameters of the layout
  Eigen::MatrixXd R;               ///< Q x P, from parameters of the layout to quantities; R E = 1
  std::vector<std::string> names;  ///< "Izz_upper + 0.2 m_fore", "viscous elbow"
  int num_columns = 0;             ///< the last quantities, which are extra columns
};

/// Returns the base parameters of a robot, followed by the extra columns of the layout. R of a
/// symmetric body computes its four parameters from its ten. Error: a body that the layout lacks.
Result<BaseQuantities> base_quantities(const Observability& observability,
                                       const ParameterLayout& layout);

/// Confidence and thresholds of error bars.
struct ErrorBarOptions {
  double confidence = 0.95;  ///< of the intervals, in (0, 1)
  int min_blocks = 8;        ///< fewer blocks do not determine their own variance
  double rank_cut = 1e-7;    ///< singular values below this fraction of the largest are unseen
                             ///< directions
};

/// Comparison of the first half of the data with the second: the rms difference of the estimates,
/// over all directions that the data determine, relative to that which the intervals claim.
struct Calibration {
  double ratio = 1;       ///< 1: as claimed
  double p_value = 1;     ///< share of all divisions into halves that differ at least as much
  double widened_by = 1;  ///< factor on standard errors: the ratio if p_value is below 0.05
};

/// Comparison of one fit of the data with separate fits of both halves: the noise that a fit leaves
/// after correction for its number of unknowns. Slow noise and errors of the model look smaller to
/// a fit of fewer data.
struct SeparateFits {
  double ratio = 1;       ///< noise about one fit over that about both, as standard deviations
  double widened_by = 1;  ///< factor on standard errors: extrapolated to a fit that absorbs nothing
};

/// Standard errors of the quantities, from the scatter of blocks.
struct ErrorBars {
  Eigen::VectorXd estimate;        ///< Q, least squares over all blocks, SI units
  Eigen::VectorXd standard_error;  ///< Q; infinite where the data do not determine the quantity
  Eigen::VectorXd degrees;         ///< Q, degrees of freedom of the standard error
  Eigen::VectorXd torque_scale;    ///< Q, part of the torque scales in the standard error, see
                                   ///< UncertaintyOptions; empty: not in it
  Eigen::VectorXd time_offset;     ///< Q, part of the time offset in it (put_time_offset); or empty
  Eigen::VectorXd systematic;      ///< Q, change by the low-pass; empty: unknown
  Eigen::VectorXd half_width;      ///< Q, of the interval about the estimate
  Eigen::MatrixXd covariance;      ///< Q x Q, in the directions that the data determine
  Eigen::MatrixXd per_score;       ///< Q x P, change of the estimate by a change of sum_b s_b
  std::vector<bool> is_determined;  ///< Q, whether the data determine the quantity
  Eigen::MatrixXd unseen;  ///< Q x number of directions of the quantities that the data do not
                           ///< determine
  /// Q x Q, H divided by the number of rows that are worth one, the mean over the directions that
  /// the data determine: tr(H^-1 sum_b s_b s_b') over their number. Its inverse is a covariance
  /// with full rank even for few blocks; it is zero in directions that the data do not determine.
  Eigen::MatrixXd information;
  std::optional<Calibration> calibration;     ///< empty if the blocks leave nothing to compare
  std::optional<SeparateFits> separate_fits;  ///< empty as above
  int num_blocks = 0;
};

/// Returns estimate, standard errors and covariance of the base quantities, without a prior, from
/// the normal equations of blocks, all with the same channel weights. Each block should span at
/// least ten time constants of the low-pass of conditioning. Errors: too few blocks, sizes that
/// disagree, numbers that are not finite.
Result<ErrorBars> error_bars(const std::vector<NormalEquations>& blocks,
                             const BaseQuantities& quantities, const ErrorBarOptions& options = {});

/// Does the same from moments, with channel weights channel_weights[c] = 1 / s_c^2.
Result<ErrorBars> error_bars(const std::vector<Moments>& blocks,
                             const Eigen::VectorXd& channel_weights,
                             const BaseQuantities& quantities, const ErrorBarOptions& options = {});

/// Share above which a parameter is "set by the prior", because its interval would only reproduce
/// the prior.
inline constexpr double kSetByPrior = 0.5;

/// Returns the share of the prior in every parameter of the layout, in [0, 1]: the variance with
/// data and prior over that of the prior alone,
///   (G / N + W)^-1_kk / (W^-1)_kk
/// with W the curvature of the prior at its reference, including its weight. 1 for held bodies, 0
/// without a prior. Errors: sizes that disagree, numbers that are not finite.
Result<Eigen::VectorXd> prior_shares(const ParameterLayout& layout,
                                     const NormalEquations& equations, const Prior& prior);

/// Effect of the prior's own error on an estimate.
struct PriorError {
  Eigen::MatrixXd per_score;  ///< P x P, change of the estimate by a change of the sum of scores
  Eigen::VectorXd deviation;  ///< P, standard deviation, SI units
  double degrees = 0;         ///< degrees of freedom of the deviations
};

/// Returns the deviation of every parameter due to the error of the prior. The estimate is
/// approximately x = x_data - S (x_data - x0) with
///   S = (G / N + W)^-1 W
/// so an error e of the prior changes it by S e. The covariance of e is estimated body by body from
/// the directions that the data determine: v_b C_b, with
///   E[(x - x0)_b' W_b (x - x0)_b] = v_b tr(W_b [(1 - S) W^-1 (1 - S)']_b) + noise
/// C_b is W_b^-1 or, for the metric prior, the mean of W_b^-1 at the prior and at the estimate; a
/// body's v_b is drawn toward that of all bodies together where it has little information. The
/// prior shifts columns by a known amount, which counts as deviation. `rows_worth_one` scales the
/// noise. Zero for held bodies and without a prior. Errors: those of prior_shares.
Result<PriorError> prior_error(const ParameterLayout& layout, const NormalEquations& equations,
                               const Prior& prior, const Eigen::VectorXd& parameters,
                               double rows_worth_one);

/// Shares and deviations of linear functions of the parameters, one per row of `rows`, functions x
/// P.
struct PriorOfFunctions {
  Eigen::VectorXd shares;      ///< as prior_shares
  Eigen::VectorXd deviations;  ///< as PriorError, in the functions' units
  double degrees = 0;          ///< degrees of freedom of the deviations
};

/// Returns the same for functions: the share of c'x is c'(G / N + W)^-1 c / c'W^-1 c. Parameters
/// that the prior holds do not count. Errors: those of prior_shares.
Result<PriorOfFunctions> prior_of_functions(const ParameterLayout& layout,
                                            const NormalEquations& equations, const Prior& prior,
                                            const Eigen::VectorXd& parameters,
                                            double rows_worth_one, const Eigen::MatrixXd& rows);

/// A confidence interval.
struct Interval {
  double lower = 0, upper = 0;
};

/// Mass and center of mass of all bodies together, with every joint at zero, in the axes of the
/// base.
struct WholeRobot {
  double mass = 0;                                ///< [kg]
  Eigen::Vector3d com = Eigen::Vector3d::Zero();  ///< [m]
  std::optional<Interval> mass_interval;          ///< empty: set by the prior, or not computed
  std::array<std::optional<Interval>, 3> com_interval;  ///< x, y, z; empty as above
  /// Of mass and center of mass, to first order; as in Uncertainty. Empty if unknown.
  Eigen::VectorXd prior_shares = {}, standard_error = {}, degrees = {}, systematic = {};
  Eigen::MatrixXd per_score = {};         ///< 4 x P
  std::vector<Interval> resampled = {};   ///< percentiles of the bootstrap; intervals contain them
};

/// Returns mass [kg] and mass times center of mass [kg m] of the whole robot with every joint at
/// zero as linear functions of the parameters of a layout, 4 x P.
Eigen::MatrixXd whole_robot_rows(const Robot& robot, const ParameterLayout& layout);

/// Returns the whole robot of these parameters, without intervals.
WholeRobot whole_robot(const Robot& robot, const ParameterLayout& layout,
                       const Eigen::VectorXd& parameters);

/// Confidence level and effort of intervals.
struct UncertaintyOptions {
  double confidence = 0.95;  ///< of the intervals, in (0, 1)
  int bootstrap = 200;  ///< number of resamples for the intervals of physical parameters; 0: no
                        ///< bootstrap
  double torque_scale_sd = 0;  ///< relative standard deviation of every channel's torque scale,
                               ///< independent of each other; 0: not in the intervals
};

/// Sensitivity of the estimate to the torque scales of channels: multiplying the torque of channel
/// c by 1 + e_c changes the information times the estimate by times_estimate * e.
struct ChannelParts {
  /// Q x C, K_c theta of each channel; the sum is ErrorBars::information times the estimate. Empty:
  /// unknown.
  Eigen::MatrixXd times_estimate;
  Eigen::VectorXd score;  ///< C, product of predicted and residual torque, in units of the
                          ///< information
};

/// The uncertainty of an estimate.
struct Uncertainty {
  double confidence = 0.95;  ///< of all intervals
  int num_blocks = 0;        ///< of the log, approximately independent; 0: see no_intervals
  double shortest_block_s = 0;
  int num_resamples = 0;     ///< of the bootstrap
  std::string no_intervals;  ///< why there are no intervals; empty if there are

  std::vector<std::string> quantities;  ///< base parameters, then columns
  ErrorBars base;                       ///< of the quantities, without a prior
  ChannelParts channels;                ///< parts of `base`; empty if rows of channels are whitened
  int rank = 0;  ///< number of directions of the quantities that the log excites
  std::vector<std::string> unexcited;  ///< combinations of quantities that the log does not excite

  Eigen::VectorXd prior_shares;  ///< of every parameter of the layout, 0 to 1
  /// Of every parameter of the layout: estimate, standard error by noise and prior, its degrees of
  /// freedom, the part of the prior in it. Empty without blocks or without a prior.
  Eigen::VectorXd estimate, standard_error, degrees, prior_deviation;
  Eigen::VectorXd torque_scale;  ///< the part of the torque scales in it, as in ErrorBars
  Eigen::VectorXd time_offset;   ///< the part of the time offset in it, as in ErrorBars
  Eigen::VectorXd systematic;    ///< of every parameter, change by the low-pass; empty: unknown
  Eigen::MatrixXd per_score;     ///< P x P, change of the estimate by a change of the sum of scores
  /// Percentiles of the bootstrap, with active constraints; empty if it was not run. Intervals
  /// contain them.
  std::vector<Interval> resampled = {};
  std::vector<std::optional<Interval>> intervals;  ///< of every parameter of the layout
  std::optional<WholeRobot> whole;                 ///< of a robot with a floating base

  /// Returns whether the prior determines a parameter.
  bool is_set_by_prior(int parameter) const { return !(prior_shares[parameter] <= kSetByPrior); }
};

/// Computes the uncertainty of `parameters`, the optimum of the problem with this prior and these
/// constraints, with the solver `solving`. `channel_weights` as in Identification; `rank_cut`:
/// singular values below this fraction of the largest are unseen directions. Data too short for
/// blocks are not an error: shares are still computed, and no_intervals gives the reason. Errors:
/// an invalid confidence, a negative number of resamples; those of prior_shares and make_problem;
/// stopped().
Result<Uncertainty> quantify_uncertainty(const TrainingData& data,
                                         const Eigen::VectorXd& channel_weights, const Prior& prior,
                                         const Constraints& constraints, const Solving& solving,
                                         double rank_cut, const Eigen::VectorXd& parameters,
                                         const UncertaintyOptions& options = {});

/// Includes the bias of the low-pass in all intervals: `score_change` is the change of the sum of
/// all scores, in the channel weights of the uncertainty, if the rows pass the filter of the torque
/// instead of being computed from filtered motion. Does nothing without intervals.
void put_systematic(const ParameterLayout& layout, const Eigen::VectorXd& score_change,
                    Uncertainty& uncertainty);

/// Includes the error of the time between torques and motion in all standard errors and intervals:
/// `score_change` is the change of the sum of all scores by one standard deviation of that time.
/// Call it once, before or after put_systematic. Does nothing without intervals.
void put_time_offset(const ParameterLayout& layout, const Eigen::VectorXd& score_change,
                     Uncertainty& uncertainty);

}  // namespace heft
#pragma GCC visibility pop
