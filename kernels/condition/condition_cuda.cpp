// Logs conditioned on a CUDA device: a wave of segments goes up in one copy, passes through three
// kernels, and comes down in one copy. Errors are returned as Result<T>.
#include "kernels/condition_cuda.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

#include "../cuda_edge.cuh"
#include "condition_logs.cuh"
#include "kernels/device_errors.hpp"
#include "wave_layout.hpp"

namespace heft {

namespace {

using cuda::check;

constexpr const char* kWhere = cuda::kConditioningOnCuda;
constexpr double kMillisecond = 1e-3;

/// Memory that only grows, which discards its contents.
template <cudaError_t (*kAllocate)(void**, std::size_t), cudaError_t (*kFree)(void*)>
class Room {
 public:
  Room() = default;
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room() { release(); }

  Result<Done> reserve(std::int64_t num_bytes, const char* what) {
    if (num_bytes <= capacity_) return Done{};
    release();
    void* memory = nullptr;
    HEFT_CHECK(check(kAllocate(&memory, static_cast<std::size_t>(num_bytes)), kWhere, what));
    memory_ = static_cast<std::byte*>(memory);
    capacity_ = num_bytes;
    return Done{};
  }
  std::byte* data() const { return memory_; }
  void release() {
    kFree(memory_);
    memory_ = nullptr;
    capacity_ = 0;
  }

 private:
  std::byte* memory_ = nullptr;
  std::int64_t capacity_ = 0;
};

// cudaMallocHost has overloads, and a template of cudaMalloc for typed pointers
cudaError_t allocate_on_device(void** memory, std::size_t num_bytes) {
  return cudaMalloc(memory, num_bytes);
}
cudaError_t allocate_on_host(void** memory, std::size_t num_bytes) {
  return cudaMallocHost(memory, num_bytes);
}

class CudaConditioner final : public DeviceConditioner {
 public:
  CudaConditioner(std::string name, std::int64_t memory_bytes)
      : name_(std::move(name)), memory_bytes_(memory_bytes) {}

  std::string description() const override { return "cuda (" + name_ + ")"; }

  bool takes(const RawSegment& segment) const override {
    return cuda::WaveLayout({&segment, 1}).num_bytes() <= memory_bytes_;
  }

  Result<std::vector<ConditionedSegment>> condition(std::span<const RawSegment> segments) override {
    const std::lock_guard turn(mutex_);
    std::vector<ConditionedSegment> conditioned;
    for (std::size_t first = 0; first < segments.size();) {
      const std::size_t count = fitting(segments.subspan(first));
      auto wave = run(segments.subspan(first, count));
      if (!wave) {
        abandon();
        return wave.error();
      }
      std::move(wave->begin(), wave->end(), std::back_inserter(conditioned));
      first += count;
    }
    return conditioned;
  }

  DeviceWork work() const override {
    const std::lock_guard turn(mutex_);
    return work_;
  }

 private:
  /// Returns how many of the first segments the memory holds; at least one.
  std::size_t fitting(std::span<const RawSegment> segments) const {
    std::int64_t num_bytes = 0;
    std::size_t count = 0;
    for (; count < segments.size(); ++count) {
      num_bytes += cuda::WaveLayout(segments.subspan(count, 1)).num_bytes();
      if (count > 0 && num_bytes > memory_bytes_) break;
    }
    return count;
  }

  Result<Done> prepare() {
    if (!stream_.get()) {
      HEFT_TRY(stream, cuda::make_stream(kWhere));
      stream_ = std::move(stream);
    }
    for (cuda::Event* event : {&begin_, &end_})
      if (!event->get()) {
        HEFT_TRY(made, cuda::make_event(kWhere, cudaEventDefault));
        *event = std::move(made);
      }
    return Done{};
  }

  Result<std::vector<ConditionedSegment>> run(std::span<const RawSegment> segments) {
    const cuda::WaveLayout layout(segments);
    HEFT_CHECK(prepare());
    HEFT_CHECK(arena_.reserve(layout.num_bytes(), "device memory"));
    HEFT_CHECK(up_.reserve(layout.bytes_up(), "page-locked memory"));
    HEFT_CHECK(down_.reserve(layout.bytes_down(), "page-locked memory"));
    layout.write(arena_.data(), up_.data());

    const cudaStream_t stream = stream_.get();
    HEFT_CHECK(check(cudaEventRecord(begin_.get(), stream), kWhere, "event"));
    HEFT_CHECK(check(
        cudaMemcpyAsync(arena_.data(), up_.data(), static_cast<std::size_t>(layout.bytes_up()),
                        cudaMemcpyHostToDevice, stream),
        kWhere, "copy to device"));
    HEFT_CHECK(check(
        cuda::launch_condition_logs(
            {reinterpret_cast<const kernels::LogTask*>(arena_.data() + layout.tasks_begin()),
             static_cast<int>(segments.size()), layout.max_values(), layout.max_kept(), stream}),
        kWhere, "launch"));
    HEFT_CHECK(check(cudaMemcpyAsync(down_.data(), arena_.data() + layout.first_down(),
                                     static_cast<std::size_t>(layout.bytes_down()),
                                     cudaMemcpyDeviceToHost, stream),
                     kWhere, "copy from device"));
    HEFT_CHECK(check(cudaEventRecord(end_.get(), stream), kWhere, "event"));
    HEFT_CHECK(check(cudaStreamSynchronize(stream), kWhere, "kernel"));
    float milliseconds = 0;
    HEFT_CHECK(check(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()), kWhere,
                     "time of events"));
    work_.bytes_up += layout.bytes_up();
    work_.bytes_down += layout.bytes_down();
    work_.launches += cuda::kConditionLaunches;
    work_.device_s += kMillisecond * static_cast<double>(milliseconds);
    return layout.read(down_.data());
  }

  /// After an error, waits for running work and frees the memory, which may have been insufficient.
  void abandon() {
    if (stream_.get())
      static_cast<void>(check(cudaStreamSynchronize(stream_.get()), kWhere, "kernel"));
    arena_.release(), up_.release(), down_.release();
  }

  mutable std::mutex mutex_;  // a call has the memory to itself
  std::string name_;
  std::int64_t memory_bytes_;
  DeviceWork work_;
  Room<allocate_on_device, cudaFree> arena_;
  Room<allocate_on_host, cudaFreeHost> up_, down_;
  cuda::Event begin_, end_;
  cuda::Stream stream_;  // goes first, before the memory that it may still write
};

}  // namespace

Result<std::unique_ptr<DeviceConditioner>> make_cuda_conditioner(
    const cuda::ConditionerOptions& options) {
  HEFT_TRY(device, cuda::find_device(kWhere));
  const std::int64_t memory_bytes = options.memory_bytes > 0
                                        ? options.memory_bytes
                                        : static_cast<std::int64_t>(device.totalGlobalMem / 2);
  return std::unique_ptr<DeviceConditioner>(
      std::make_unique<CudaConditioner>(device.name, memory_bytes));
}

}  // namespace heft
