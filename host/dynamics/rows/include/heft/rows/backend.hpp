// The interface of the backends, which evaluate rows; all calls work on batches. executor.hpp makes
// the available backends. Threads: safe to call one Backend from several threads; calls may be
// serialized.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/core/choices.hpp"
#include "heft/core/sample_view.hpp"
#include "heft/model/generated_motion.hpp"
#include "heft/model/regressor_plan.hpp"
#include "heft/model/samples.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// How rows are summed to moments.
struct AccumulateOptions {
  core::Precision precision = core::Precision::fp64;
  /// Empty: moments per channel, weighted later when normal equations are made from them. Otherwise
  /// one weight w_c = 1 / s_c^2 >= 0 per channel of the plan, which selects the summed form: the
  /// moments of all channels together,
  ///   sum_c w_c row_c' row_c
  /// over one row of all structural columns, extra columns and the torque. This is cheaper, but
  /// fixes the weights.
  Eigen::VectorXd channel_weights;
  /// Covariance of the channels' noise, num_channels x num_channels, positive definite, for
  /// MomentAccumulator, whose plan is then a whitened one
  /// (host/dynamics/rows/shared/rows/whitening.hpp). Empty: channels are independent.
  Eigen::MatrixXd covariance;
  /// Largest number of stretches, an even number, whose sums a MomentAccumulator keeps in addition
  /// to the total. A long stream has at least half as many, fewer if they are large. The length of
  /// the chunks follows from it, so it affects the total by rounding.
  int most_stretches = 256;

  bool is_summed() const { return channel_weights.size() > 0; }
};

/// Returns the number of doubles in one set of packed moments of this form.
std::int64_t packed_size(const RegressorPlan& plan, const AccumulateOptions& options);

/// A run of samples of one segment, in chunks of equal length. `begin` is an index into `samples`
/// and must be the first sample of a chunk. Jobs may share plans, samples and options. Samples
/// without torque (an empty array) give only the Gram matrix; without weights every row counts. A
/// motion instead of samples also gives only the Gram matrix; it requires a fixed base and no
/// signals.
struct AccumulateJob {
  const RegressorPlan* plan = nullptr;
  const Samples* samples = nullptr;
  std::int64_t begin = 0;
  std::int64_t count = 0;
  int chunk = core::kChunkSamples;             ///< samples per chunk; the last chunk may be shorter
  const AccumulateOptions* options = nullptr;  ///< null: fp64, per channel
  const GeneratedMotion* motion = nullptr;  ///< evaluated inside the kernel; `samples` is then null

  std::int64_t num_chunks() const { return (count + chunk - 1) / chunk; }
};

/// Rows of one channel, sample after sample: num_samples x columns.
using RowArray = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Existing rows to be summed. rows[c] is num_samples x width of the row of channel c, torque last,
/// weights included. Chunks as in AccumulateJob, except that `begin` is an index into `rows`.
struct RowsJob {
  const RegressorPlan* plan = nullptr;
  std::span<const RowArray> rows;
  std::int64_t begin = 0;
  std::int64_t count = 0;
  int chunk = core::kChunkSamples;

  std::int64_t num_chunks() const { return (count + chunk - 1) / chunk; }
};

/// Parameters x of the plan's layout and samples for which every channel's torque is predicted.
struct PredictJob {
  const RegressorPlan* plan = nullptr;
  const Samples* samples = nullptr;
  const Eigen::VectorXd* parameters = nullptr;
};

/// A device, or the CPU, that evaluates rows. Safe to call from several threads; calls may be
/// serialized.
class Backend {
 public:
  virtual ~Backend() = default;

  /// Returns for example "cpu (AVX-512, 2 threads)" or "cuda (NVIDIA H200)". If the CPU is used
  /// although the machine has a GPU, also says why.
  virtual std::string description() const = 0;

  /// Returns the number of host threads that a call uses.
  virtual int num_threads() const { return 1; }

  /// Computes the packed moments of every chunk of every job, chunk after chunk: partials[j] is
  /// resized to num_chunks() * packed_size(*plan, *options). The sums of a chunk depend only on its
  /// own samples. Errors: a form that the backend does not support, a motion that does not fit the
  /// plan.
  virtual Result<Done> accumulate(std::span<const AccumulateJob> jobs,
                                  std::span<std::vector<double>> partials) = 0;

  /// Evaluates rows for processing before they are multiplied: rows[c] becomes num_samples x (width
  /// - 1), the row of channel c at weight one, without torque; low-passed along time if the samples
  /// require it.
  virtual Result<Done> evaluate_rows(const RegressorPlan& plan, const Samples& samples,
                                     std::vector<RowArray>& rows) = 0;

  /// Computes the packed moments per channel of every chunk of every job, in the form of
  /// accumulate().
  virtual Result<Done> accumulate_rows(std::span<const RowsJob> jobs,
                                       std::span<std::vector<double>> partials) = 0;

  /// Predicts torques: torques[j] becomes num_samples x num_channels, in the channels' units;
  /// ignores weights and filters on rows.
  virtual Result<Done> predict(std::span<const PredictJob> jobs,
                               std::span<Eigen::ArrayXXd> torques) = 0;
};

}  // namespace heft
#pragma GCC visibility pop
