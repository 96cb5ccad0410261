// Interface of a device for the moments engine: memory, copies that run concurrently with kernels,
// launches. cuda_device.cpp implements it with CUDA, tests/conformance/host_device.cpp emulates it
// on the host, so that everything except a few lines of CUDA is tested without a device.
//
// Uploads, launches and downloads are in three queues, each in its own order. A launch waits for
// the uploads requested before it, a download for the launches requested before it. An upload waits
// for nothing: code that reuses memory marks its last download and waits for the mark.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "device_job.hpp"
#include "heft/base/result.hpp"

namespace heft::cuda {

class Device {
 public:
  /// Frees itself; only memory from `allocate` belongs to the device.
  using Memory = std::unique_ptr<std::byte[], void (*)(std::byte*)>;

  static constexpr int kNumMarks = 2;

  virtual ~Device() = default;
  virtual std::string name() const = 0;
  /// Returns the number of blocks of a persistent grid of this kernel: as many as run concurrently.
  virtual int num_blocks(Kernel kernel) const = 0;

  virtual Result<Memory> allocate(std::size_t num_bytes) = 0;
  /// Returns page-locked host memory, which uploads read and downloads write.
  virtual Result<Memory> allocate_pinned(std::size_t num_bytes) = 0;

  virtual Result<Done> upload(std::byte* device, const std::byte* pinned,
                              std::size_t num_bytes) = 0;
  virtual Result<Done> launch(const Launch& launch) = 0;
  virtual Result<Done> add_parts(const PartSumLaunch& launch) = 0;
  virtual Result<Done> download(std::byte* pinned, const std::byte* device,
                                std::size_t num_bytes) = 0;

  /// Marks the downloads requested so far; wait() returns when they are done.
  virtual Result<Done> mark(int mark) = 0;
  virtual Result<Done> wait(int mark) = 0;
  /// Returns when the device is idle.
  virtual Result<Done> wait_for_all() = 0;
};

/// Memory that grows to the requested size and is then kept.
class KeptMemory {
 public:
  enum class Place { device, pinned };

  explicit KeptMemory(Place place) : place_(place) {}

  Result<Done> reserve(Device& device, std::size_t num_bytes) {
    if (num_bytes <= size_) return Done{};
    memory_.reset();
    size_ = 0;
    HEFT_TRY(memory, place_ == Place::device ? device.allocate(num_bytes)
                                             : device.allocate_pinned(num_bytes));
    memory_ = std::move(memory);
    size_ = num_bytes;
    return Done{};
  }
  std::byte* data() const { return memory_.get(); }

 private:
  Place place_;
  std::size_t size_ = 0;
  Device::Memory memory_{nullptr, [](std::byte*) {}};
};

}  // namespace heft::cuda
