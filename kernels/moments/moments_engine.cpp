#include "moments_engine.hpp"

#include <algorithm>
#include <mutex>

#include "base/parallel_for.hpp"
#include "device_batch.hpp"
#include "rows/filtered_rows.hpp"

namespace heft::cuda {

namespace {

class MomentsEngine : public Backend {
 public:
  MomentsEngine(std::unique_ptr<Device> device, const EngineOptions& options)
      : device_(std::move(device)),
        threads_(threads_for(options.threads)),
        pipeline_(*device_, options.transfer_bytes, threads_) {}

  int num_threads() const override { return threads_; }
  std::string description() const override { return "cuda (" + device_->name() + ")"; }

  Result<Done> accumulate(std::span<const AccumulateJob> jobs,
                          std::span<std::vector<double>> partials) override {
    const std::lock_guard turn(mutex_);
    DeviceBatch batch(jobs.size());
    std::vector<std::int64_t> sizes;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      HEFT_CHECK(batch.add_sums(jobs[j]));
      const bool is_summed = jobs[j].options && jobs[j].options->is_summed();
      sizes.push_back(is_summed ? core::packed_triangle(jobs[j].plan->summed_width)
                                : jobs[j].plan->packed_size);
      partials[j].resize(static_cast<std::size_t>(jobs[j].num_chunks() * sizes[j]));
    }
    return batch.run(*device_, pipeline_, [&](const Piece& piece, const double* result) {
      const std::int64_t size = sizes[piece.job];
      std::copy_n(result, size, partials[piece.job].data() + piece.chunk * size);
    });
  }

  /// Computes rows on the device and filters them on the host if the samples require it.
  Result<Done> evaluate_rows(const RegressorPlan& plan, const Samples& samples,
                             std::vector<RowArray>& rows) override {
    const std::lock_guard turn(mutex_);
    const auto make_rows = [&](const Samples& block, ChannelRange range,
                               std::vector<RowArray>& made) {
      return evaluate_channels(plan, block, range, made);
    };
    return filtered_rows(plan, samples, threads_, make_rows, rows);
  }

  Result<Done> accumulate_rows(std::span<const RowsJob> jobs,
                               std::span<std::vector<double>> partials) override {
    const std::lock_guard turn(mutex_);
    DeviceBatch batch(jobs.size());
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      HEFT_CHECK(batch.add_given_rows(jobs[j]));
      partials[j].resize(
          static_cast<std::size_t>(jobs[j].num_chunks() * jobs[j].plan->packed_size));
    }
    return batch.run(*device_, pipeline_, [&](const Piece& piece, const double* result) {
      const std::int64_t size = jobs[piece.job].plan->packed_size;
      std::copy_n(result, size, partials[piece.job].data() + piece.chunk * size);
    });
  }

  Result<Done> predict(std::span<const PredictJob> jobs,
                       std::span<Eigen::ArrayXXd> torques) override {
    const std::lock_guard turn(mutex_);
    DeviceBatch batch(jobs.size());
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      HEFT_CHECK(batch.add_torques(jobs[j]));
      torques[j].resize(jobs[j].samples->size(), jobs[j].plan->num_channels());
    }
    return batch.run(*device_, pipeline_, [&](const Piece& piece, const double* result) {
      Eigen::ArrayXXd& torque = torques[piece.job];
      torque.middleRows(piece.begin, piece.count) =
          Eigen::Map<const Eigen::ArrayXXd>(result, piece.count, torque.cols());
    });
  }

 private:
  /// Rows of the channels of a range; `rows` has one array per channel of the range.
  Result<Done> evaluate_channels(const RegressorPlan& plan, const Samples& samples,
                                 ChannelRange range, std::vector<RowArray>& rows) {
    DeviceBatch batch(1);
    HEFT_CHECK(batch.add_rows(plan, samples, range.first, range.last));
    for (int c = range.first; c < range.last; ++c)
      rows[c - range.first].resize(samples.size(), plan.channel_entries[c].width - 1);
    return batch.run(*device_, pipeline_, [&](const Piece& piece, const double* result) {
      for (RowArray& channel : rows) {
        channel.middleRows(piece.begin, piece.count) =
            Eigen::Map<const Eigen::ArrayXXd>(result, piece.count, channel.cols());
        result += piece.count * (channel.cols() + 1);  // the torque's column holds nothing
      }
    });
  }

  std::mutex mutex_;
  std::unique_ptr<Device> device_;
  int threads_;  // of the host
  TransferPipeline pipeline_;
};

}  // namespace

std::unique_ptr<Backend> make_device_backend(std::unique_ptr<Device> device,
                                             const EngineOptions& options) {
  return std::make_unique<MomentsEngine>(std::move(device), options);
}

}  // namespace heft::cuda
