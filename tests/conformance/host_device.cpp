#include "tests/conformance/host_device.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/moments/block_programs.hpp"
#include "kernels/moments/ordered_sum.hpp"
#include "kernels/moments/row_programs.hpp"

namespace heft::cuda {

namespace {

/// All bytes set: NaN wherever there is a number.
template <class T>
T poisoned() {
  T value;
  std::memset(static_cast<void*>(&value), 0xFF, sizeof value);
  return value;
}

/// Orders to run threads and blocks in.
class Orders {
 public:
  explicit Orders(const HostDeviceOptions& options)
      : options_(options), engine_(options.order_seed) {}

  /// Of `count`, the next.
  const std::vector<int>& next(int count) {
    order_.resize(static_cast<std::size_t>(count));
    std::iota(order_.begin(), order_.end(), 0);
    if (options_.order_seed > 0)
      std::shuffle(order_.begin(), order_.end(), engine_);
    else if (options_.last_thread_first)
      std::reverse(order_.begin(), order_.end());
    return order_;
  }

 private:
  HostDeviceOptions options_;
  std::mt19937_64 engine_;
  std::vector<int> order_;
};

/// Runs the threads of a block one after the other.
struct HostBlock {
  Orders& orders;

  template <class T>
  struct Own {
    std::vector<T> values = std::vector<T>(kThreads, poisoned<T>());
    T& of(int thread) { return values[thread]; }
  };
  template <class Work>
  void together(const Work& work) const {
    for (const int thread : orders.next(kThreads)) work(thread);
  }
  template <class Work>
  void apart(const Work& work) const {
    together(work);
  }
  void wait() const {}
};

void poison(std::byte* memory, std::int64_t num_bytes) {
  std::fill_n(reinterpret_cast<double*>(memory),
              num_bytes / static_cast<std::int64_t>(sizeof(double)),
              std::numeric_limits<double>::quiet_NaN());
}

bool is_poison(const std::byte* memory, std::int64_t num_bytes) {
  std::vector<std::byte> untouched(static_cast<std::size_t>(num_bytes));
  poison(untouched.data(), num_bytes);
  return std::equal(untouched.begin(), untouched.end(), memory);
}

struct alignas(16) SharedUnit {
  std::byte bytes[16];
};

class HostDevice : public Device {
 public:
  explicit HostDevice(const HostDeviceOptions& options) : options_(options) {}

  std::string name() const override { return "none: kernels on the host"; }
  int num_blocks(Kernel) const override { return options_.num_blocks; }

  Result<Memory> allocate(std::size_t num_bytes) override {
    if (in_use_ + static_cast<std::int64_t>(num_bytes) > options_.memory_bytes)
      return Error{"backend cuda", "device memory: out of memory", ""};
    Memory memory = allocate_pinned(num_bytes).value();
    header_of(memory.get()) = {&in_use_, static_cast<std::int64_t>(num_bytes)};
    in_use_ += static_cast<std::int64_t>(num_bytes);
    return memory;
  }
  Result<Memory> allocate_pinned(std::size_t num_bytes) override {
    std::byte* const block =
        static_cast<std::byte*>(::operator new[](num_bytes + kHeaderBytes, kAlignment));
    Memory memory(block + kHeaderBytes, free_memory);
    header_of(memory.get()) = {nullptr, 0};
    poison(memory.get(), static_cast<std::int64_t>(num_bytes));
    return memory;
  }

  Result<Done> upload(std::byte* device, const std::byte* pinned, std::size_t num_bytes) override {
    std::memcpy(device, pinned, num_bytes);
    return Done{};
  }
  Result<Done> download(std::byte* pinned, const std::byte* device,
                        std::size_t num_bytes) override {
    std::memcpy(pinned, device, num_bytes);
    return Done{};
  }

  Result<Done> launch(const Launch& launch) override {
    if (launch.shared_bytes > kMaxSharedBytes)
      return Error{"host device", "a block has no so much shared memory",
                   "take the kernel that needs none"};
    Orders orders(options_), block_orders(options_);
    const HostBlock block{orders};
    poison(launch.scratch, launch.num_blocks * launch.scratch_stride);
    std::vector<SharedUnit> shared(static_cast<std::size_t>(launch.shared_bytes + kGuardBytes) /
                                   sizeof(SharedUnit));
    for (const int b : block_orders.next(launch.num_blocks))
      for (int i = b; i < launch.num_tasks; i += launch.num_blocks) {
        std::byte* const memory = shared.data()->bytes;
        poison(memory, launch.shared_bytes + kGuardBytes);
        run(block, launch, launch.tasks[i], launch.scratch + b * launch.scratch_stride, memory);
        if (!is_poison(memory + launch.shared_bytes, kGuardBytes))
          return Error{"host device",
                       "a block wrote behind the shared memory that it was launched with",
                       "count it in block_bytes()"};
      }
    return Done{};
  }

  Result<Done> add_parts(const PartSumLaunch& launch) override {
    for (int i = 0; i < launch.num_sums; ++i)
      for (std::int64_t entry = 0; entry < launch.sums[i].size; ++entry)
        cuda::add_parts(launch.sums[i], entry);
    return Done{};
  }

  Result<Done> mark(int) override { return Done{}; }
  Result<Done> wait(int) override { return Done{}; }
  Result<Done> wait_for_all() override { return Done{}; }

 private:
  static constexpr std::align_val_t kAlignment{256};
  static constexpr std::size_t kHeaderBytes = 256;
  static constexpr std::int64_t kGuardBytes = kMaxSharedBytes;  // behind a block's shared memory

  /// Before every piece of memory: what of the device's it takes.
  struct Header {
    std::int64_t* in_use;  ///< null: none
    std::int64_t num_bytes;
  };
  static Header& header_of(std::byte* memory) {
    return *reinterpret_cast<Header*>(memory - kHeaderBytes);
  }
  static void free_memory(std::byte* memory) {
    const Header header = header_of(memory);
    if (header.in_use) *header.in_use -= header.num_bytes;
    ::operator delete[](memory - kHeaderBytes, kAlignment);
  }

  template <class Real, class Fill>
  static void sum_in_global_memory(const HostBlock& block, const DeviceJob& job, const Task& task,
                                   std::byte* scratch, std::byte* shared, const Fill& fill) {
    const SumMemory sums(job, scratch);
    sum_wide_products(block, job, task, SlabMemory<Real>(job, shared, scratch + sums.num_bytes),
                      sums, fill);
  }

  static void run(const HostBlock& block, const Launch& launch, const Task& task,
                  std::byte* scratch, std::byte* shared) {
    const DeviceJob& job = launch.jobs[task.job];
    switch (launch.kernel) {
      case Kernel::moments_fp64:
        return sum_products(block, job, task, SlabMemory<double>(job, shared),
                            SumMemory(job, scratch), RowsOfSamples<double>{});
      case Kernel::moments_fp32:
        return sum_products(block, job, task, SlabMemory<float>(job, shared),
                            SumMemory(job, scratch), RowsOfSamples<float>{});
      case Kernel::large_moments_fp64:
        return sum_in_global_memory<double>(block, job, task, scratch, shared,
                                            RowsOfSamples<double>{});
      case Kernel::large_moments_fp32:
        return sum_in_global_memory<float>(block, job, task, scratch, shared,
                                           RowsOfSamples<float>{});
      case Kernel::given_rows:
        return sum_in_global_memory<double>(block, job, task, scratch, shared, GivenRows{});
      case Kernel::rows:
        return keep_rows(block, job, task, scratch);
      case Kernel::torques:
        return predict_torques(block, job, task, scratch);
    }
  }

  HostDeviceOptions options_;
  std::int64_t in_use_ = 0;
};

}  // namespace

std::unique_ptr<Device> make_host_device(const HostDeviceOptions& options) {
  return std::make_unique<HostDevice>(options);
}

}  // namespace heft::cuda
