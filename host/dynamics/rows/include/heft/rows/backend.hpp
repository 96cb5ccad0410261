// Where the rows are evaluated: one interface, verbs at batch level only. executor.hpp makes those
// that there are. Threads: any number of threads may call one Backend; their calls may take turns.
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

/// How rows become moments.
struct AccumulateOptions {
  core::Precision precision = core::Precision::fp64;
  /// Empty: moments per channel, which are weighted when normal equations are made of them.
  /// Otherwise one weight w_c = 1 / s_c^2 >= 0 per channel of the plan, and the summed form: the
  /// moments of all channels together,
  ///   sum_c w_c row_c' row_c
  /// over one row of all structural columns, extra columns and the torque. Cheaper, but the weights
  /// stay.
  Eigen::VectorXd channel_weights;
  /// Covariance of the channels' noise, num_channels x num_channels, positive definite, for
  /// MomentAccumulator; then its plan is a whitened one
  /// (host/dynamics/rows/shared/rows/whitening.hpp). Empty: channels stay by themselves.
  Eigen::MatrixXd covariance;
  /// A MomentAccumulator keeps the sums of at most so many stretches beside the total, an even
  /// number; of a long stream at least half as many, fewer where they are large. Chunks are as long
  /// as that allows, so that the total depends on it by rounding.
  int most_stretches = 256;

  bool is_summed() const { return channel_weights.size() > 0; }
};

/// Doubles in one set of packed moments of this form.
std::int64_t packed_size(const RegressorPlan& plan, const AccumulateOptions& options);

/// A run of samples of one segment, in chunks of equal length. `begin` counts in `samples`; what
/// stands there must be the first sample of a chunk. Plans, samples and options may be shared by
/// any number of jobs. Samples without torque (an empty array) give the Gram matrix alone, without
/// weights every row counts; so does a motion instead of samples, on a fixed base and without
/// signals.
struct AccumulateJob {
  const RegressorPlan* plan = nullptr;
  const Samples* samples = nullptr;
  std::int64_t begin = 0;
  std::int64_t count = 0;
  int chunk = core::kChunkSamples;             ///< samples of a chunk; the last may be shorter
  const AccumulateOptions* options = nullptr;  ///< null: fp64, per channel
  const GeneratedMotion* motion = nullptr;  ///< evaluated inside the kernel; `samples` is then null

  std::int64_t num_chunks() const { return (count + chunk - 1) / chunk; }
};

/// Rows of one channel, sample after sample: num_samples x columns.
using RowArray = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Rows that are there already, of channel c num_samples x width of its row, torque last, weights
/// in them: a run of samples in chunks as in AccumulateJob, except that `begin` counts in `rows`.
struct RowsJob {
  const RegressorPlan* plan = nullptr;
  std::span<const RowArray> rows;
  std::int64_t begin = 0;
  std::int64_t count = 0;
  int chunk = core::kChunkSamples;

  std::int64_t num_chunks() const { return (count + chunk - 1) / chunk; }
};

/// Predicted torque of every channel for the parameters x of the plan's layout.
struct PredictJob {
  const RegressorPlan* plan = nullptr;
  const Samples* samples = nullptr;
  const Eigen::VectorXd* parameters = nullptr;
};

/// Any number of threads may call; their calls may take turns.
class Backend {
 public:
  virtual ~Backend() = default;

  /// "cpu (AVX-512, 2 threads)", "cuda (NVIDIA H200)". If the CPU is taken though the machine has a
  /// GPU, also why.
  virtual std::string description() const = 0;

  /// Of the host, that its calls take.
  virtual int num_threads() const { return 1; }

  /// Packed moments of every chunk of every job, chunk after chunk: partials[j] is resized to
  /// num_chunks() * packed_size(*plan, *options). Each chunk's sums depend on its own samples only.
  /// Error if the backend does not know a job's form, or its motion does not fit the plan.
  virtual Result<Done> accumulate(std::span<const AccumulateJob> jobs,
                                  std::span<std::vector<double>> partials) = 0;

  /// For work on rows before they are multiplied: rows[c] becomes num_samples x (width - 1), the
  /// row of channel c at weight one, without torque; filtered along time if the samples say so.
  virtual Result<Done> evaluate_rows(const RegressorPlan& plan, const Samples& samples,
                                     std::vector<RowArray>& rows) = 0;

  /// Packed moments per channel of every chunk of every job, as accumulate() gives them.
  virtual Result<Done> accumulate_rows(std::span<const RowsJob> jobs,
                                       std::span<std::vector<double>> partials) = 0;

  /// torques[j] becomes num_samples x num_channels, in the channels' units; weights and filters on
  /// rows are ignored.
  virtual Result<Done> predict(std::span<const PredictJob> jobs,
                               std::span<Eigen::ArrayXXd> torques) = 0;
};

}  // namespace heft
#pragma GCC visibility pop
