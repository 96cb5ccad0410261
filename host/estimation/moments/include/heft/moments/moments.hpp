// Additive sufficient statistics of a data set: per channel c the packed upper triangle of
//
//   sum over samples  row_c' row_c,   row_c = [structural columns | extra columns | torque]
//
// G = Y'Y, b = Y'tau and tau'tau of the objective (FORMULAS 2) are parts of it. In the summed form
// (AccumulateOptions) one triangle over all columns holds the sum of w_c row_c' row_c over the
// channels. Threads: any number of threads may call on moments of their own; a MomentAccumulator is
// used by one at a time.
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

struct Moments {
  PlanPtr plan;
  std::vector<double> packed;    ///< channel after channel, or the one triangle of the summed form
  std::vector<double> num_rows;  ///< used rows of every channel
  Eigen::VectorXd summed_weights;  ///< the weights w_c in the sums; empty: per channel

  bool is_summed() const { return summed_weights.size() > 0; }
};

/// The moments of no samples: what sums begin with. `plan` must not be null.
Moments zero_moments(PlanPtr plan, Eigen::VectorXd summed_weights = {});

/// into += from. Layouts are the same by their names and structure, and if regrouping differs by no
/// more than rounding, 1e-12; so moments of other builds and machines add up. Error, which names
/// what differs, and nothing added, if layouts or forms differ.
Result<Done> add(Moments& into, const Moments& from);

/// Forgetting: multiplies all sums and row counts, factor >= 0.
void scale(Moments& moments, double factor);

/// Normal equations in the parameters of the layout from the structural ones, with W =
/// plan->regrouping:
///   G = W' (sum_c w_c G_c) W
///   b = W' (sum_c w_c b_c)
///   tau2 = sum_c w_c tau_c'tau_c
/// `channel_weights` holds one finite weight w_c = 1 / s_c^2 >= 0 per channel of the plan; the size
/// is not checked. A weight of zero leaves a channel out, its rows too. Summed moments have their
/// weights in them: `channel_weights` is not read.
NormalEquations normal_equations(const Moments& moments, const Eigen::VectorXd& channel_weights);

/// Sum of squared residuals of one channel, unweighted: tau'tau - 2 b'x + x'Gx. `channel` is an
/// index into plan->channels and `parameters` as long as the layout; neither is checked. Cancels
/// near a perfect fit. The moments must be per channel.
double residual_sum(const Moments& moments, int channel, const Eigen::VectorXd& parameters);

/// The same summed over all channels, whose units it mixes; what rounding leaves below zero counts
/// as zero.
double squared_error(const Moments& moments, const Eigen::VectorXd& parameters);

/// The moments of consecutive samples of a data set: what folds and blocks are made of.
struct MomentStretch {
  Moments moments;
  std::int64_t num_samples = 0;
};

/// A sum that is not finished, as plain data: all that a MomentAccumulator keeps between two
/// blocks.
struct UnfinishedMoments {
  AccumulateOptions options;
  Moments total;  ///< of the segments that ended; num_rows: of all samples that are summed
  /// Of the segment that is open: trees[k] sums 2^k chunks, or is empty (FORMULAS 7).
  std::vector<std::vector<double>> trees;
  std::vector<MomentStretch> stretches;  ///< the last is open
  std::int64_t stretch_length = 0;  ///< samples from which on a stretch is complete; 0 before the
                                    ///< first
  int segment = -1;                 ///< id of the open segment; -1 before the first
  std::int64_t segment_begin = 0;   ///< samples of the open segment that are summed
  /// The samples after these, less than a chunk; their stamps are not kept.
  Samples pending;
  /// Whether rows are filtered or whitened before they are multiplied; none before the first block.
  /// If so, the rows of the pending samples stand for their motion, torque and signals.
  std::optional<bool> has_row_stage;
  std::vector<RowArray> pending_rows;
};

/// Sums a stream of sample blocks. Chunks merge as buddies of one binary tree per segment, segments
/// in the order of their ids: threads, read size and block size change no bit (FORMULAS 7).
class MomentAccumulator {
 public:
  MomentAccumulator(PlanPtr plan, Backend& backend, AccumulateOptions options = {});
  ~MomentAccumulator();
  MomentAccumulator(MomentAccumulator&&) noexcept;
  MomentAccumulator& operator=(MomentAccumulator&&) noexcept;

  /// Blocks of one segment come in order; a new segment id ends the last segment. Errors: a block
  /// without weights, which say how many rows are used; those of the backend.
  Result<Done> push(int segment, const Samples& block);

  /// What is summed so far, without its end: may be asked for after any block, and the accumulator
  /// goes on as if it had not been. Errors: the backend's.
  Result<UnfinishedMoments> snapshot();

  /// Goes on where a snapshot was taken: blocks that follow give the bits of a sum that was never
  /// interrupted, if the backend is of the same kind. Error if the state's arrays do not have the
  /// sizes that its plan demands.
  static Result<MomentAccumulator> resume(UnfinishedMoments state, Backend& backend);

  /// Closes the last segment and returns the sum of all.
  Result<Moments> finish();

  /// After finish: the same sum in stretches of about equal length, in order: up to 256, of large
  /// robots fewer to stay within 64 MB, and of long logs at least half of that. The last may be
  /// shorter.
  std::vector<MomentStretch> take_stretches();

 private:
  struct State;
  explicit MomentAccumulator(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// What motions tell about parameters before any torque is measured: the information matrix of each
// of many candidates.

struct InformationOptions {
  /// w_c = 1 / s_c^2 >= 0 of every channel of the plan; empty: ones.
  Eigen::VectorXd channel_weights;
  /// fp32: faster, and right to 1e-5 of the matrix's norm.
  core::Precision precision = core::Precision::fp64;
};

/// Of every motion G = sum over its samples and the channels of w_c row_c' row_c, num_parameters
/// square, in the columns of the plan's layout: the inverse covariance of the parameters that a log
/// of this motion would leave (FORMULAS 8). Motions are evaluated where rows are made, and only
/// sums come back. Errors: weights of another number, negative or not finite; what check_motion()
/// refuses; a backend that breaks down; stopped().
Result<std::vector<Eigen::MatrixXd>> information(Backend& backend, const PlanPtr& plan,
                                                 std::span<const GeneratedMotion> motions,
                                                 const InformationOptions& options = {},
                                                 const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
