// The CUDA backend: uploads plans and samples, launches, downloads. Errors leave this file as Result<T>.
#include "kernels/backend_cuda.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "heft/sample_view.hpp"
#include "host/log/row_filter.hpp"
#include "kernels/accumulate_moments.cuh"
#include "kernels/device_memory.cuh"

namespace heft {

namespace {

using cuda::check;
using cuda::DeviceArray;
using cuda::DeviceJob;
using cuda::DeviceTask;

/// A plan's tables on the device.
struct DevicePlan {
  DeviceArray<core::BodyEntry> bodies;
  DeviceArray<core::ScrewEntry> screws;
  DeviceArray<core::RowEntry> rows;
  DeviceArray<core::RowRun> runs;
  DeviceArray<core::FeatureEntry> features;
  DeviceArray<core::ChannelEntry> channels;
  core::TreeView view;
};

/// The arrays of a Samples on the device.
struct DeviceSamples {
  DeviceArray<double> position, velocity, acceleration, base_motion, torque, weight, signal;
  core::SampleView view;
};

Result<std::unique_ptr<DevicePlan>> upload(const RegressorPlan& plan) {
  auto device = std::make_unique<DevicePlan>();
  HEFT_CHECK(device->bodies.upload(plan.bodies.data(), plan.bodies.size()));
  HEFT_CHECK(device->screws.upload(plan.screws.data(), plan.screws.size()));
  HEFT_CHECK(device->rows.upload(plan.rows.data(), plan.rows.size()));
  HEFT_CHECK(device->runs.upload(plan.runs.data(), plan.runs.size()));
  HEFT_CHECK(device->features.upload(plan.features.data(), plan.features.size()));
  HEFT_CHECK(device->channels.upload(plan.channel_entries.data(), plan.channel_entries.size()));
  device->view = plan.view();
  device->view.bodies = device->bodies.data();
  device->view.screws = device->screws.data();
  device->view.rows = device->rows.data();
  device->view.runs = device->runs.data();
  device->view.features = device->features.data();
  device->view.channels = device->channels.data();
  return device;
}

Result<std::unique_ptr<DeviceSamples>> upload(const RegressorPlan& plan, const Samples& samples) {
  auto device = std::make_unique<DeviceSamples>();
  device->view = sample_view(plan, samples);
  const auto array = [](const Eigen::ArrayXXd& host, DeviceArray<double>& target,
                        const double*& view) -> Result<Done> {
    if (host.size() == 0) {
      view = nullptr;
      return Done{};
    }
    HEFT_CHECK(target.upload(host.data(), static_cast<std::size_t>(host.size())));
    view = target.data();
    return Done{};
  };
  HEFT_CHECK(array(samples.position, device->position, device->view.position));
  HEFT_CHECK(array(samples.velocity, device->velocity, device->view.velocity));
  HEFT_CHECK(array(samples.acceleration, device->acceleration, device->view.acceleration));
  HEFT_CHECK(array(samples.base_motion, device->base_motion, device->view.base_motion));
  HEFT_CHECK(array(samples.torque, device->torque, device->view.torque));
  HEFT_CHECK(array(samples.weight, device->weight, device->view.weight));
  HEFT_CHECK(array(samples.signal, device->signal, device->view.signal));
  return device;
}

/// Everything of one batch that lives on the device. Plans and samples that jobs share are uploaded once.
struct Batch {
  std::map<const RegressorPlan*, std::unique_ptr<DevicePlan>> plans;
  std::map<const Samples*, std::unique_ptr<DeviceSamples>> samples;
  std::vector<DeviceJob> jobs;
  std::vector<DeviceTask> tasks;
  std::int64_t scratch_stride = 0;

  Result<Done> add(const RegressorPlan& plan, const Samples& data, std::int64_t begin, std::int64_t count,
                   int chunk_length) {
    if (!plans.contains(&plan)) {
      HEFT_TRY(device_plan, upload(plan));
      plans[&plan] = std::move(device_plan);
    }
    if (!samples.contains(&data)) {
      HEFT_TRY(device_samples, upload(plan, data));
      samples[&data] = std::move(device_samples);
    }
    for (std::int64_t chunk = 0; chunk * chunk_length < count; ++chunk)
      tasks.push_back({static_cast<int>(jobs.size()), chunk});
    jobs.push_back({plans[&plan]->view, samples[&data]->view, begin, count, chunk_length, nullptr, nullptr,
                    nullptr, nullptr});
    scratch_stride = std::max(scratch_stride, cuda::scratch_per_block(plan.view()));
    return Done{};
  }
};

/// Columns of the rows of all channels, torque included.
Eigen::Index total_width(const RegressorPlan& plan) {
  Eigen::Index width = 0;
  for (const core::ChannelEntry& channel : plan.channel_entries) width += channel.width;
  return width;
}

class CudaBackend : public Backend {
 public:
  explicit CudaBackend(const cudaDeviceProp& device)
      : name_(device.name), num_blocks_(4 * device.multiProcessorCount) {}

  std::string description() const override { return "cuda (" + name_ + ")"; }

  Result<Done> accumulate(std::span<const AccumulateJob> jobs,
                          std::span<std::vector<double>> partials) override {
    Batch batch;
    std::vector<DeviceArray<double>> sums(jobs.size());
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      const AccumulateOptions* options = jobs[j].options;
      if (jobs[j].motion) return Error{"backend cuda", "takes samples, not motions", "take the CPU backend"};
      if (options && (options->is_summed() || options->precision != core::Precision::fp64))
        return Error{"backend cuda", "sums per channel and in double precision only", "take the CPU backend"};
      HEFT_CHECK(batch.add(*jobs[j].plan, *jobs[j].samples, jobs[j].begin, jobs[j].count, jobs[j].chunk));
      partials[j].resize(static_cast<std::size_t>(jobs[j].num_chunks() * jobs[j].plan->packed_size));
      HEFT_CHECK(sums[j].allocate(std::max<std::size_t>(1, partials[j].size())));
      batch.jobs[j].partials = sums[j].data();
    }
    HEFT_CHECK(launch(batch, cuda::launch_accumulate_moments));
    for (std::size_t j = 0; j < jobs.size(); ++j)
      HEFT_CHECK(sums[j].download(partials[j].data(), partials[j].size()));
    return Done{};
  }

  /// Rows are made on the device and filtered, if the samples say so, on the host.
  Result<Done> evaluate_rows(const RegressorPlan& plan, const Samples& samples,
                             std::vector<RowArray>& rows) override {
    const UnfilteredMotion* const motion = samples.unfiltered.get();
    const Samples& source = motion ? motion->samples : samples;
    Batch batch;
    HEFT_CHECK(batch.add(plan, source, 0, source.size(), core::kChunkSamples));
    Eigen::ArrayXXd host(source.size(), total_width(plan));
    DeviceArray<double> device;
    HEFT_CHECK(device.allocate(std::max<std::size_t>(1, static_cast<std::size_t>(host.size()))));
    batch.jobs[0].rows = device.data();
    HEFT_CHECK(launch(batch, cuda::launch_evaluate_rows));
    HEFT_CHECK(device.download(host.data(), static_cast<std::size_t>(host.size())));
    rows.resize(plan.channel_entries.size());
    Eigen::Index first = 0;
    for (std::size_t c = 0; c < rows.size(); ++c) {
      const Eigen::Index width = plan.channel_entries[c].width;
      const RowArray unfiltered = host.middleCols(first, width - 1);  // the torque's column holds nothing
      first += width;
      if (!motion) {
        rows[c] = unfiltered;
        continue;
      }
      rows[c].resize(samples.size(), width - 1);
      for (Eigen::Index column = 0; column < width - 1; column += kSignalLanes)
        filter_columns(unfiltered, *motion, column, rows[c]);
    }
    return Done{};
  }

  Result<Done> accumulate_rows(std::span<const RowsJob> jobs,
                               std::span<std::vector<double>> partials) override {
    static const Samples kNoSamples;
    Batch batch;
    std::vector<DeviceArray<double>> rows(jobs.size()), sums(jobs.size());
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      const RegressorPlan& plan = *jobs[j].plan;
      HEFT_CHECK(batch.add(plan, kNoSamples, 0, jobs[j].count, jobs[j].chunk));
      Eigen::ArrayXXd host(jobs[j].count, total_width(plan));
      Eigen::Index first = 0;
      for (const RowArray& channel : jobs[j].rows) {
        host.middleCols(first, channel.cols()) = channel.middleRows(jobs[j].begin, jobs[j].count);
        first += channel.cols();
      }
      HEFT_CHECK(rows[j].upload(host.data(), static_cast<std::size_t>(host.size())));
      partials[j].resize(static_cast<std::size_t>(jobs[j].num_chunks() * plan.packed_size));
      HEFT_CHECK(sums[j].allocate(std::max<std::size_t>(1, partials[j].size())));
      batch.jobs[j].rows = rows[j].data();
      batch.jobs[j].partials = sums[j].data();
    }
    HEFT_CHECK(launch(batch, cuda::launch_accumulate_rows));
    for (std::size_t j = 0; j < jobs.size(); ++j)
      HEFT_CHECK(sums[j].download(partials[j].data(), partials[j].size()));
    return Done{};
  }

  Result<Done> predict(std::span<const PredictJob> jobs, std::span<Eigen::ArrayXXd> torques) override {
    Batch batch;
    std::vector<DeviceArray<double>> coefficients(jobs.size()), predicted(jobs.size());
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      const RegressorPlan& plan = *jobs[j].plan;
      HEFT_CHECK(batch.add(plan, *jobs[j].samples, 0, jobs[j].samples->size(), core::kChunkSamples));
      std::vector<double> flat;
      for (const std::vector<double>& channel : channel_coefficients(plan, *jobs[j].parameters))
        flat.insert(flat.end(), channel.begin(), channel.end());
      HEFT_CHECK(coefficients[j].upload(flat.data(), flat.size()));
      torques[j].resize(jobs[j].samples->size(), plan.num_channels());
      HEFT_CHECK(
          predicted[j].allocate(std::max<std::size_t>(1, static_cast<std::size_t>(torques[j].size()))));
      batch.jobs[j].coefficients = coefficients[j].data();
      batch.jobs[j].torque = predicted[j].data();
    }
    HEFT_CHECK(launch(batch, cuda::launch_predict));
    for (std::size_t j = 0; j < jobs.size(); ++j)
      HEFT_CHECK(predicted[j].download(torques[j].data(), static_cast<std::size_t>(torques[j].size())));
    return Done{};
  }

 private:
  template <class Launcher>
  Result<Done> launch(const Batch& batch, const Launcher& launcher) {
    if (batch.tasks.empty()) return Done{};
    DeviceArray<DeviceJob> jobs;
    DeviceArray<DeviceTask> tasks;
    DeviceArray<double> scratch;
    const int num_tasks = static_cast<int>(batch.tasks.size());
    const int num_blocks = std::min(num_blocks_, num_tasks);
    HEFT_CHECK(jobs.upload(batch.jobs.data(), batch.jobs.size()));
    HEFT_CHECK(tasks.upload(batch.tasks.data(), batch.tasks.size()));
    HEFT_CHECK(scratch.allocate(static_cast<std::size_t>(num_blocks * batch.scratch_stride)));
    HEFT_CHECK(check(launcher({jobs.data(), tasks.data(), num_tasks, scratch.data(), batch.scratch_stride,
                               num_blocks, nullptr}),
                     "launch"));
    return check(cudaDeviceSynchronize(), "kernel");
  }

  std::string name_;
  int num_blocks_;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_cuda_backend() {
  int num_devices = 0;
  if (cudaGetDeviceCount(&num_devices) != cudaSuccess || num_devices == 0)
    return Error{"backend cuda", "no CUDA device answers",
                 "use the CPU backend, or check the driver with nvidia-smi"};
  cudaDeviceProp device{};
  HEFT_CHECK(check(cudaGetDeviceProperties(&device, 0), "device properties"));
  return std::unique_ptr<Backend>(std::make_unique<CudaBackend>(device));
}

}  // namespace heft
