// Uncertainty of the estimate: intervals where the data determine a parameter, and a note where the
// prior does (FORMULAS 6).
//
// Base parameters and extra columns: what the data determine without a prior, from the moments of
// blocks of the log, without a second pass (error_bars). Parameters of single bodies: a bootstrap
// over blocks with active prior and constraints, widened by the effect of the prior's own error
// (prior_pull). A parameter that the prior determines has no interval.
//
// Filtered noise is correlated in time, which makes the textbook covariance far too small. Blocks
// much longer than the memory of conditioning's low-pass are nearly independent of each other:
//
//   H   = sum_b G_b
//   s_b = b_b - G_b theta
//   C   = H^-1 (sum_b s_b s_b') H^-1 B / (B - 1)
//
// with (G_b, b_b) the weighted normal equations of block b = 1 .. B and C the covariance of theta.
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
};

/// Returns the base parameters of a robot, followed by the extra columns of the layout. R of a
/// symmetric body computes its four parameters from its ten. Error: a body that the layout lacks.
Result<BaseQuantities> base_quantities(const Observability& observability,
                                       const ParameterLayout& layout);

/// Confidence and thresholds of error bars.
struct ErrorBarOptions {
  double confidence = 0.95;  ///< of the intervals, in (0, 1)
  int min_blocks = 24;       ///< fewer blocks do not determine their own variance
  double rank_cut = 1e-7;    ///< singular values below this fraction of the largest are unseen
                             ///< directions
};

/// Standard errors of the quantities, from the scatter of blocks.
struct ErrorBars {
  Eigen::VectorXd estimate;         ///< Q, least squares over all blocks, SI units
  Eigen::VectorXd standard_error;   ///< Q; infinite where the data do not determine the quantity
  Eigen::VectorXd half_width;       ///< Q, standard error times Student's t with B - 1 degrees of
                                    ///< freedom
  Eigen::MatrixXd covariance;       ///< Q x Q, in the directions that the data determine
  std::vector<bool> is_determined;  ///< Q, whether the data determine the quantity
  Eigen::MatrixXd unseen;  ///< Q x number of directions of the quantities that the data do not
                           ///< determine
  /// Q x Q, H divided by the number of rows that are worth one, the mean over the directions that
  /// the data determine: tr(H^-1 sum_b s_b s_b') over their number. Its inverse is a covariance
  /// with full rank even for few blocks; it is zero in directions that the data do not determine.
  Eigen::MatrixXd information;
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

/// Returns the standard deviation of every parameter due to the error of the prior itself, in SI
/// units. The estimate is approximately x = x_data - S (x_data - x0) with
///   S = (G / N + W)^-1 W
/// so an error e of the prior changes it by S e. The size of e is estimated from the directions
/// that the data determine: its covariance is v W^-1 with v such that
///   (x - x0)' W (x - x0) = v tr(W (1 - S) W^-1 (1 - S)')
/// over the inertial parameters. Extra columns use the same v. 0 for held bodies and without a
/// prior. Errors: those of prior_shares.
Result<Eigen::VectorXd> prior_pull(const ParameterLayout& layout, const NormalEquations& equations,
                                   const Prior& prior, const Eigen::VectorXd& parameters);

/// Shares and pulls of linear functions of the parameters, one per row of `rows`, functions x P.
struct PriorOfFunctions {
  Eigen::VectorXd shares;  ///< as prior_shares
  Eigen::VectorXd pulls;   ///< as prior_pull, in the functions' units
};

/// Returns the same for functions: the share of c'x is c'(G / N + W)^-1 c / c'W^-1 c. Parameters
/// that the prior holds do not count. Errors: those of prior_shares.
Result<PriorOfFunctions> prior_of_functions(const ParameterLayout& layout,
                                            const NormalEquations& equations, const Prior& prior,
                                            const Eigen::VectorXd& parameters,
                                            const Eigen::MatrixXd& rows);

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

  Eigen::VectorXd prior_shares;                    ///< of every parameter of the layout, 0 to 1
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

}  // namespace heft
#pragma GCC visibility pop
