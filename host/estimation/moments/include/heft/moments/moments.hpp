// Additive sufficient statistics of a data set: for every channel c the packed upper triangle of
//
//   sum over samples  row_c' row_c,   row_c = [structural columns | extra columns | torque]
//
// G = Y'Y, b = Y'tau and tau'tau of the objective (FORMULAS 2) are parts of it. In the summed form
// (AccumulateOptions) one triangle over all columns holds the sum of w_c row_c' row_c over the
// channels. Threads: safe to call from several threads on separate moments; a MomentAccumulator is
// used by one thread at a time.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/core/choices.hpp"
#include "heft/model/generated_motion.hpp"
#include "heft/model/regressor_plan.hpp"
#include "heft/model/samples.hpp"
#include "heft/moments/normal_equations.hpp"
#include "heft/rows/backend.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Sums over the samples of a data set.
struct Moments {
  PlanPtr plan;
  std::vector<double> packed;  ///< channel after channel, or the single triangle of the summed form
  std::vector<double> num_rows;    ///< used rows per channel
  Eigen::VectorXd summed_weights;  ///< weights w_c contained in the sums; empty: moments per
                                   ///< channel

  bool is_summed() const { return summed_weights.size() > 0; }
};

/// Returns the moments of an empty data set, from which sums start. `plan` must not be null.
Moments zero_moments(PlanPtr plan, Eigen::VectorXd summed_weights = {});

/// Computes into += from. Layouts match by names and structure, and their regrouping may differ by
/// rounding (1e-12), so moments from other builds and machines can be added. Error, without any
/// change: layouts or forms differ; the message names the difference.
Result<Done> add(Moments& into, const Moments& from);

/// Multiplies all sums and row counts by factor >= 0, to forget old data gradually.
void scale(Moments& moments, double factor);

/// Returns the normal equations in the parameters of the layout, with W = plan->regrouping:
///   G = W' (sum_c w_c G_c) W
///   b = W' (sum_c w_c b_c)
///   tau2 = sum_c w_c tau_c'tau_c
/// `channel_weights` has one finite weight w_c = 1 / s_c^2 >= 0 per channel of the plan; its size
/// is not checked. Weight zero excludes a channel and its rows. Summed moments contain their
/// weights, so `channel_weights` is ignored.
NormalEquations normal_equations(const Moments& moments, const Eigen::VectorXd& channel_weights);

/// Returns the unweighted sum of squared residuals of one channel: tau'tau - 2 b'x + x'Gx.
/// `channel` is an index into plan->channels and `parameters` has the length of the layout; neither
/// is checked. Loses precision by cancellation near a perfect fit. The moments must be per channel.
double residual_sum(const Moments& moments, int channel, const Eigen::VectorXd& parameters);

/// Returns the sum of residual_sum over all channels, regardless of their units; negative rounding
/// errors count as zero.
double squared_error(const Moments& moments, const Eigen::VectorXd& parameters);

/// Moments of consecutive samples of a data set, from which folds and blocks are made.
struct MomentStretch {
  Moments moments;
  std::int64_t num_samples = 0;
};

/// An unfinished sum as plain data: the complete state of a MomentAccumulator between two blocks.
struct UnfinishedMoments {
  AccumulateOptions options;
  Moments total;  ///< sum of the completed segments; num_rows covers all summed samples
  /// Open segment: trees[k] is the sum of 2^k chunks, or empty (FORMULAS 7).
  std::vector<std::vector<double>> trees;
  std::vector<MomentStretch> stretches;  ///< the last one is open
  std::int64_t stretch_length = 0;  ///< number of samples that completes a stretch; 0 before the
                                    ///< first
  int segment = -1;                 ///< id of the open segment; -1 before the first
  std::int64_t segment_begin = 0;   ///< summed samples of the open segment
  /// Samples that follow these, less than a chunk; their stamps are not kept.
  Samples pending;
  /// Whether rows are filtered or whitened before multiplication; empty before the first block. If
  /// true, pending_rows replace the motion, torque and signals of the pending samples.
  std::optional<bool> has_row_stage;
  std::vector<RowArray> pending_rows;
};

/// Sums a stream of sample blocks. Chunks are merged in one binary tree per segment (like buddy
/// allocation), and segments in the order of their ids, so the result does not depend on threads,
/// read size or block size, bit for bit (FORMULAS 7).
class MomentAccumulator {
 public:
  MomentAccumulator(PlanPtr plan, Backend& backend, AccumulateOptions options = {});
  ~MomentAccumulator();
  MomentAccumulator(MomentAccumulator&&) noexcept;
  MomentAccumulator& operator=(MomentAccumulator&&) noexcept;

  /// Adds a block. Blocks of one segment must be in order; a new segment id ends the previous
  /// segment. Errors: a block without weights, which determine the number of used rows; those of
  /// the backend.
  Result<Done> push(int segment, const Samples& block);

  /// Returns the sum so far, without ending it. May be called after any block and does not affect
  /// later results. Errors: those of the backend.
  Result<UnfinishedMoments> snapshot();

  /// Continues from a snapshot. The result is bitwise equal to that of an uninterrupted sum if the
  /// backend is of the same kind. Error: arrays of the state whose sizes do not fit its plan.
  static Result<MomentAccumulator> resume(UnfinishedMoments state, Backend& backend);

  /// Ends the last segment and returns the total sum.
  Result<Moments> finish();

  /// Returns the same sum as stretches of about equal length, in order; call after finish(). There
  /// are at most 256, fewer for large robots to stay within 64 MB, and for long logs at least half
  /// of that number. The last may be shorter.
  std::vector<MomentStretch> take_stretches();

 private:
  struct State;
  explicit MomentAccumulator(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Information that motions provide about the parameters before any torque is measured: the
// information matrix of each candidate motion.

/// Weights of the channels and precision of information matrices.
struct InformationOptions {
  /// w_c = 1 / s_c^2 >= 0 for every channel of the plan; empty: all 1.
  Eigen::VectorXd channel_weights;
  /// fp32: faster, with an error of at most 1e-5 of the matrix's norm.
  core::Precision precision = core::Precision::fp64;
};

/// Returns for every motion G = sum over its samples and the channels of w_c row_c' row_c,
/// num_parameters x num_parameters, in the columns of the plan's layout: the inverse covariance of
/// the parameters after a log of this motion (FORMULAS 8). The backend evaluates motions together
/// with their rows and returns only sums. Errors: a wrong number of weights, weights that are
/// negative or not finite; those of check_motion() and of the backend; stopped().
Result<std::vector<Eigen::MatrixXd>> information(Backend& backend, const PlanPtr& plan,
                                                 std::span<const GeneratedMotion> motions,
                                                 const InformationOptions& options = {},
                                                 const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
