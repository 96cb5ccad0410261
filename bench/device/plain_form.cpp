// Plain sums, which fused sums must match and outperform.
//
// Chunks are cut into parts, whose rows one block of threads makes. Parts go over the device in
// transfers, each in one of two streams: samples up, rows made, the rows of every channel
// multiplied by cuBLAS and added up over the parts of a chunk, squares down. While one transfer is
// worked on, the next is packed.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "base/parallel_for.hpp"
#include "bench/device/device_bench.hpp"
#include "cublas_library.hpp"
#include "kernels/moments/accumulate_moments.cuh"
#include "kernels/moments/block_memory.hpp"
#include "kernels/moments/cuda_device.hpp"
#include "kernels/moments/device_memory.cuh"
#include "kernels/moments/device_tables.hpp"
#include "kernels/moments/input_columns.hpp"
#include "model/sample_view.hpp"

namespace heft {

namespace {

using cuda::check, cuda::kMomentsBackend, cuda::KeptMemory;

constexpr std::int64_t kRunSamples = 16384;  // that one thread copies at a time
constexpr int kMaxCopiers = 8;

std::int64_t aligned(std::int64_t num_bytes) {
  constexpr std::int64_t kAlignment = 256;
  return (num_bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// Consecutive samples of one chunk.
struct Part {
  std::int64_t chunk, begin, count;

  std::int64_t end() const { return begin + count; }
};

std::vector<Part> cut_parts(const AccumulateJob& job, std::int64_t most_samples) {
  std::vector<Part> parts;
  for (std::int64_t c = 0; c < job.num_chunks(); ++c) {
    const std::int64_t end = std::min((c + 1) * job.chunk, job.count);
    for (std::int64_t at = c * job.chunk; at < end; at += most_samples)
      parts.push_back({c, job.begin + at, std::min(most_samples, end - at)});
  }
  return parts;
}

/// A job as the kernel that makes rows knows it. It must stay where it is.
struct PlainJob {
  const RegressorPlan& plan;
  bool is_summed;
  cuda::InputColumns source;
  cuda::DeviceJob device{};
  std::vector<int> channel_begin;
  std::vector<double> row_scale;
  cuda::DeviceTables tables;
  std::int64_t row_size = 0,
               squares_size = 0;  ///< doubles of a sample's rows; of all channels' squares

  explicit PlainJob(const AccumulateJob& job)
      : plan(*job.plan), is_summed(job.options && job.options->is_summed()), source(*job.samples) {
    device.tree = plan.view();
    device.samples = sample_view(plan, *job.samples);
    device.is_weighted = true;
    device.last_channel = plan.num_channels();
    for (const core::ChannelEntry& channel : plan.channel_entries) {
      channel_begin.push_back(static_cast<int>(row_size));
      row_size += channel.width;
      squares_size += std::int64_t{channel.width} * channel.width;
    }
    tables.add(plan.bodies, device.tree.bodies);
    tables.add(plan.screws, device.tree.screws);
    tables.add(plan.rows, device.tree.rows);
    tables.add(plan.runs, device.tree.runs);
    tables.add(plan.features, device.tree.features);
    tables.add(plan.channel_entries, device.tree.channels);
    tables.add(channel_begin, device.channel_begin);
    if (!is_summed) return;
    for (const double weight : job.options->channel_weights) row_scale.push_back(std::sqrt(weight));
    tables.add(row_scale, device.row_scale);
  }
  PlainJob(const PlainJob&) = delete;

  std::int64_t bytes_per_sample() const {
    return source.bytes_per_sample() + row_size * static_cast<std::int64_t>(sizeof(double));
  }

  /// Adds upper triangles of the squares of all channels' rows to packed moments of the job's form.
  void add_to(double* packed, const double* squares) const {
    for (int c = 0; c < plan.num_channels(); ++c) {
      const core::ChannelEntry& channel = plan.channel_entries[c];
      const std::vector<int>& columns = plan.channel_columns[c];
      const auto summed_column = [&](int k) {
        return k == channel.width - 1 ? plan.summed_width - 1 : columns[k];
      };
      for (int i = 0; i < channel.width; ++i)
        for (int j = i; j < channel.width; ++j) {
          const auto [low, high] = std::minmax({summed_column(i), summed_column(j)});
          const std::int64_t place =
              is_summed ? core::packed_index(plan.summed_width, low, high)
                        : channel.packed_offset + core::packed_index(channel.width, i, j);
          packed[place] += squares[std::int64_t{i} * channel.width + j];
        }
      squares += std::int64_t{channel.width} * channel.width;
    }
  }
};

/// A stream with its memory, and the transfer that is under way in it.
class Slot {
 public:
  static Result<Slot> make() {
    Slot slot;
    HEFT_TRY(stream, cuda::make_stream(kMomentsBackend));
    slot.stream_ = std::move(stream);
    HEFT_TRY(cublas, cuda::CublasLibrary::open(slot.stream_.get()));
    slot.cublas_ = std::move(cublas);
    return slot;
  }

  Result<Done> start(cuda::Device& device, const PlainJob& job, std::span<const Part> parts) {
    HEFT_CHECK(pack(device, job, parts));
    HEFT_CHECK(check(cudaMemcpyAsync(input_.data(), pinned_input_.data(), input_bytes_,
                                     cudaMemcpyHostToDevice, stream_.get()),
                     kMomentsBackend, "copy to device"));
    HEFT_CHECK(make_rows(device, job, static_cast<int>(parts.size())));
    HEFT_CHECK(multiply_rows(job, parts));
    return check(cudaMemcpyAsync(pinned_squares_.data(), squares_.data(), squares_bytes(job),
                                 cudaMemcpyDeviceToHost, stream_.get()),
                 kMomentsBackend, "copy from device");
  }

  /// Waits for the transfer, if there is one, and adds its sums to those of its chunks.
  Result<Done> finish(const PlainJob& job, std::vector<double>& packed, std::int64_t size) {
    if (chunks_.empty()) return Done{};
    HEFT_CHECK(check(cudaStreamSynchronize(stream_.get()), kMomentsBackend, "kernel"));
    const auto* squares = reinterpret_cast<const double*>(pinned_squares_.data());
    for (const std::int64_t chunk : chunks_) {
      job.add_to(packed.data() + chunk * size, squares);
      squares += job.squares_size;
    }
    chunks_.clear();
    return Done{};
  }

  /// Waits, and forgets what was under way.
  void abandon() {
    static_cast<void>(check(cudaStreamSynchronize(stream_.get()), kMomentsBackend, "kernel"));
    chunks_.clear();
  }

 private:
  std::size_t squares_bytes(const PlainJob& job) const {
    return chunks_.size() * static_cast<std::size_t>(job.squares_size) * sizeof(double);
  }

  /// The input of a transfer: the job, tasks, samples.
  Result<Done> pack(cuda::Device& device, const PlainJob& job, std::span<const Part> parts) {
    chunks_.clear();
    for (const Part& part : parts)
      if (chunks_.empty() || chunks_.back() != part.chunk) chunks_.push_back(part.chunk);
    const std::int64_t begin = parts.front().begin, count = parts.back().end() - begin;
    tasks_at_ = aligned(sizeof(cuda::DeviceJob));
    const std::int64_t samples_at =
        tasks_at_ + aligned(static_cast<std::int64_t>(parts.size() * sizeof(cuda::Task)));
    input_bytes_ = static_cast<std::size_t>(samples_at + count * job.source.bytes_per_sample());
    HEFT_CHECK(pinned_input_.reserve(device, input_bytes_));
    HEFT_CHECK(input_.reserve(device, input_bytes_));
    HEFT_CHECK(
        rows_.reserve(device, static_cast<std::size_t>(count * job.row_size) * sizeof(double)));
    HEFT_CHECK(squares_.reserve(device, squares_bytes(job)));
    HEFT_CHECK(pinned_squares_.reserve(device, squares_bytes(job)));

    std::byte* const pinned = pinned_input_.data();
    cuda::DeviceJob entry = job.device;
    job.source.place(reinterpret_cast<const double*>(input_.data() + samples_at), count,
                     entry.samples);
    std::memcpy(pinned, &entry, sizeof entry);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::int64_t at = parts[i].begin - begin;
      const cuda::Task task{0, at, parts[i].count, rows() + at * job.row_size};
      std::memcpy(pinned + tasks_at_ + i * sizeof task, &task, sizeof task);
    }
    auto* const samples = reinterpret_cast<double*>(pinned + samples_at);
    const int num_threads =
        std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMaxCopiers);
    parallel_for((count + kRunSamples - 1) / kRunSamples, num_threads, [&](std::int64_t run, int) {
      const std::int64_t at = run * kRunSamples;
      job.source.copy(begin + at, std::min(kRunSamples, count - at), samples + at, count);
    });
    return Done{};
  }

  Result<Done> make_rows(cuda::Device& device, const PlainJob& job, int num_tasks) {
    const int num_blocks = std::min(device.num_blocks(cuda::Kernel::rows), num_tasks);
    const std::int64_t stride = aligned(cuda::block_bytes(cuda::Kernel::rows, job.device).scratch);
    HEFT_CHECK(scratch_.reserve(device, static_cast<std::size_t>(num_blocks * stride)));
    return check(
        cuda::launch(cuda::Launch{cuda::Kernel::rows,
                                  reinterpret_cast<const cuda::DeviceJob*>(input_.data()),
                                  reinterpret_cast<const cuda::Task*>(input_.data() + tasks_at_),
                                  num_tasks, num_blocks, scratch_.data(), stride, 0},
                     stream_.get()),
        kMomentsBackend, "launch");
  }

  Result<Done> multiply_rows(const PlainJob& job, std::span<const Part> parts) {
    auto* squares = reinterpret_cast<double*>(squares_.data());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool goes_on = i > 0 && parts[i - 1].chunk == parts[i].chunk;
      if (i > 0 && !goes_on) squares += job.squares_size;
      const double* of_channel = rows() + (parts[i].begin - parts.front().begin) * job.row_size;
      double* square = squares;
      for (const core::ChannelEntry& channel : job.plan.channel_entries) {
        HEFT_CHECK(cublas_->multiply(of_channel, parts[i].count, channel.width, goes_on, square));
        of_channel += parts[i].count * channel.width;
        square += std::int64_t{channel.width} * channel.width;
      }
    }
    return Done{};
  }

  double* rows() const { return reinterpret_cast<double*>(rows_.data()); }

  cuda::Stream stream_;                          // goes last
  std::unique_ptr<cuda::CublasLibrary> cublas_;  // before its stream
  KeptMemory pinned_input_{KeptMemory::Place::pinned}, input_{KeptMemory::Place::device},
      rows_{KeptMemory::Place::device}, scratch_{KeptMemory::Place::device},
      squares_{KeptMemory::Place::device}, pinned_squares_{KeptMemory::Place::pinned};
  std::vector<std::int64_t> chunks_;  // whose squares come back, in their order
  std::int64_t tasks_at_ = 0;
  std::size_t input_bytes_ = 0;
};

class PlainForm final : public Backend {
 public:
  PlainForm(std::unique_ptr<cuda::Device> device, Slot first, Slot second,
            const PlainFormOptions& options)
      : device_(std::move(device)),
        slots_{std::move(first), std::move(second)},
        options_(options) {}

  std::string description() const override { return "cuda (" + device_->name() + ", plain form)"; }

  Result<Done> accumulate(std::span<const AccumulateJob> jobs,
                          std::span<std::vector<double>> partials) override {
    const std::lock_guard turn(mutex_);
    for (const AccumulateJob& job : jobs)
      if (job.motion || (job.options && job.options->precision != core::Precision::fp64))
        return Error{kMomentsBackend,
                     "the plain form takes samples and sums them in double precision",
                     "take the fused form"};
    for (std::size_t j = 0; j < jobs.size(); ++j) HEFT_CHECK(sum(jobs[j], partials[j]));
    return Done{};
  }

  Result<Done> evaluate_rows(const RegressorPlan&, const Samples&,
                             std::vector<RowArray>&) override {
    return no_verb();
  }
  Result<Done> accumulate_rows(std::span<const RowsJob>, std::span<std::vector<double>>) override {
    return no_verb();
  }
  Result<Done> predict(std::span<const PredictJob>, std::span<Eigen::ArrayXXd>) override {
    return no_verb();
  }

 private:
  static Error no_verb() {
    return {kMomentsBackend, "the plain form makes sums of samples and nothing else",
            "take the fused form"};
  }

  /// Lets what is under way end, whichever way a job does.
  struct AbandonAtEnd {
    std::span<Slot> slots;
    ~AbandonAtEnd() {
      for (Slot& slot : slots) slot.abandon();
    }
  };

  Result<Done> sum(const AccumulateJob& job, std::vector<double>& packed) {
    static const AccumulateOptions kDefaults;
    const std::int64_t size = packed_size(*job.plan, job.options ? *job.options : kDefaults);
    packed.assign(static_cast<std::size_t>(job.num_chunks() * size), 0.0);
    PlainJob plain(job);
    HEFT_CHECK(plain.tables.upload(*device_, tables_));
    HEFT_CHECK(device_->wait_for_all());  // kernels of slots wait for their own streams alone
    const AbandonAtEnd at_end{slots_};
    const std::int64_t row_bytes = plain.row_size * static_cast<std::int64_t>(sizeof(double));
    const std::vector<Part> parts =
        cut_parts(job, std::max<std::int64_t>(1, options_.part_bytes / row_bytes));
    const std::int64_t most_samples = options_.transfer_bytes / plain.bytes_per_sample();
    int turn = 0;
    for (std::size_t first = 0; first < parts.size(); turn = 1 - turn) {
      std::size_t last = first + 1;
      while (last < parts.size() && parts[last].end() - parts[first].begin <= most_samples) ++last;
      HEFT_CHECK(slots_[turn].finish(plain, packed, size));
      HEFT_CHECK(
          slots_[turn].start(*device_, plain, std::span(parts).subspan(first, last - first)));
      first = last;
    }
    HEFT_CHECK(slots_[turn].finish(plain, packed, size));  // the older one
    return slots_[1 - turn].finish(plain, packed, size);
  }

  std::mutex mutex_;
  std::unique_ptr<cuda::Device> device_;  // goes last: the others' memory is its
  cuda::TablesMemory tables_;
  Slot slots_[2];
  PlainFormOptions options_;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_plain_form(const PlainFormOptions& options) {
  HEFT_TRY(device, cuda::make_cuda_device());
  HEFT_TRY(first, Slot::make());
  HEFT_TRY(second, Slot::make());
  return std::unique_ptr<Backend>(
      std::make_unique<PlainForm>(std::move(device), std::move(first), std::move(second), options));
}

}  // namespace heft
