#include "cuda_device.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "accumulate_moments.cuh"
#include "device_memory.cuh"

namespace heft::cuda {

namespace {

class CudaDevice : public Device {
 public:
  /// Handles of streams and events, and properties of the device.
  struct Parts {
    std::string name;
    std::array<int, std::size(kKernels)> num_blocks;  // of every kernel
    Stream uploads, launches, downloads;
    Event uploaded, launched, marks[kNumMarks];
  };

  explicit CudaDevice(Parts parts) : parts_(std::move(parts)) {}

  std::string name() const override { return parts_.name; }
  int num_blocks(Kernel kernel) const override {
    return parts_.num_blocks[static_cast<std::size_t>(kernel)];
  }

  Result<Memory> allocate(std::size_t num_bytes) override { return device_memory(num_bytes); }
  Result<Memory> allocate_pinned(std::size_t num_bytes) override {
    return pinned_memory(num_bytes);
  }

  Result<Done> upload(std::byte* device, const std::byte* pinned, std::size_t num_bytes) override {
    return check(
        cudaMemcpyAsync(device, pinned, num_bytes, cudaMemcpyHostToDevice, parts_.uploads.get()),
        kMomentsBackend, "copy to device");
  }
  Result<Done> launch(const Launch& launch) override {
    HEFT_CHECK(wait_for(parts_.launches, parts_.uploads, parts_.uploaded));
    return check(cuda::launch(launch, parts_.launches.get()), kMomentsBackend, "launch");
  }
  Result<Done> add_parts(const PartSumLaunch& launch) override {
    return check(cuda::launch(launch, parts_.launches.get()), kMomentsBackend, "launch");
  }
  Result<Done> download(std::byte* pinned, const std::byte* device,
                        std::size_t num_bytes) override {
    HEFT_CHECK(wait_for(parts_.downloads, parts_.launches, parts_.launched));
    return check(
        cudaMemcpyAsync(pinned, device, num_bytes, cudaMemcpyDeviceToHost, parts_.downloads.get()),
        kMomentsBackend, "copy from device");
  }

  Result<Done> mark(int mark) override {
    return check(cudaEventRecord(parts_.marks[mark].get(), parts_.downloads.get()), kMomentsBackend,
                 "mark");
  }
  Result<Done> wait(int mark) override {
    return check(cudaEventSynchronize(parts_.marks[mark].get()), kMomentsBackend, "kernel");
  }
  Result<Done> wait_for_all() override {
    // wait for each of them even if another one failed: memory is reused or freed afterward
    const Result<Done> waits[] = {
        check(cudaStreamSynchronize(parts_.uploads.get()), kMomentsBackend, "copy to device"),
        check(cudaStreamSynchronize(parts_.launches.get()), kMomentsBackend, "kernel"),
        check(cudaStreamSynchronize(parts_.downloads.get()), kMomentsBackend, "copy from device")};
    for (const Result<Done>& done : waits) HEFT_CHECK(done);
    return Done{};
  }

 private:
  /// Makes all later work of `later` wait for the work queued in `earlier`.
  static Result<Done> wait_for(const Stream& later, const Stream& earlier, const Event& event) {
    HEFT_CHECK(check(cudaEventRecord(event.get(), earlier.get()), kMomentsBackend, "event"));
    return check(cudaStreamWaitEvent(later.get(), event.get(), 0), kMomentsBackend, "event");
  }

  Parts parts_;
};

}  // namespace

Result<std::unique_ptr<Device>> make_cuda_device() {
  HEFT_TRY(properties, find_device(kMomentsBackend));
  CudaDevice::Parts parts;
  parts.name = properties.name;
  HEFT_CHECK(check(allow_shared_memory(), kMomentsBackend, "shared memory"));
  for (const Kernel kernel : kKernels) {
    int blocks = 0;
    HEFT_CHECK(check(blocks_per_multiprocessor(kernel, &blocks), kMomentsBackend, "occupancy"));
    parts.num_blocks[static_cast<std::size_t>(kernel)] =
        std::max(1, blocks) * properties.multiProcessorCount;
  }
  for (Stream* stream : {&parts.uploads, &parts.launches, &parts.downloads}) {
    HEFT_TRY(made, make_stream(kMomentsBackend));
    *stream = std::move(made);
  }
  for (Event* event : {&parts.uploaded, &parts.launched, &parts.marks[0], &parts.marks[1]}) {
    HEFT_TRY(made, make_event(kMomentsBackend, cudaEventDisableTiming));
    *event = std::move(made);
  }
  static_assert(Device::kNumMarks == 2);
  return std::unique_ptr<Device>(std::make_unique<CudaDevice>(std::move(parts)));
}

}  // namespace heft::cuda
