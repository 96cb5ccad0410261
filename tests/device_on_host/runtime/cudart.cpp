// The functions of the CUDA runtime that Heft calls. A call that is missing here does not link; an
// unknown argument ends the program.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/device_on_host/block/device_memory.hpp"
#include "tests/device_on_host/block/findings.hpp"
#include "tests/device_on_host/runtime/emulated_library.hpp"
#include "tests/device_on_host/runtime/machine.hpp"

namespace heft::device_on_host {
namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

int number_of(cudaStream_t stream) {
  const int number = static_cast<int>(reinterpret_cast<std::intptr_t>(stream));
  if (!machine().streams.has(number)) unknown("a stream that was not created");
  return number;
}

Event& event_of(cudaEvent_t event) {
  return *reinterpret_cast<Event*>(event);
}

/// The call `status` fails with, unless this one works.
#define HEFT_RETURN_IF_FAILS(status) \
  const Lock lock(machine().mutex);  \
  if (cudaError_t failed{}; machine().fails(status, failed)) return failed

cudaError_t allocate(void** memory, std::size_t size, bool is_pinned) {
  HEFT_RETURN_IF_FAILS(cudaErrorMemoryAllocation);
  *memory = nullptr;
  if (size == 0) return cudaSuccess;
  if (!is_pinned && device_memory().bytes_of_device() + size > machine().settings.memory_bytes)
    return machine().say(cudaErrorMemoryAllocation);
  *memory = device_memory().allocate(size, is_pinned);
  return cudaSuccess;
}

/// Zero without a device: then there is no driver either.
int driver_version() {
  const Settings& settings = machine().settings;
  return !settings.is_there            ? 0
         : settings.driver_version > 0 ? settings.driver_version
                                       : CUDART_VERSION;
}

/// What another thread does in between, once.
void let_others_come_between() {
  std::unique_lock lock(machine().mutex);
  const std::function<void()> work = std::exchange(machine().before_next_launch, {});
  lock.unlock();
  if (work) work();
}

/// Waits for all work, as CUDA does.
cudaError_t release(void* memory, bool is_pinned) {
  const Lock lock(machine().mutex);
  if (!memory) return cudaSuccess;
  machine().streams.run_all();
  if (!device_memory().release(memory, is_pinned)) {
    findings().add("memory is freed that was not allocated");
    return machine().say(cudaErrorInvalidValue);
  }
  return machine().say(machine().sticky());
}

void check_kind(cudaMemcpyKind kind) {
  if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToHost)
    unknown("copies that are not between host and device");
}

/// Blocks of `kernel` that a multiprocessor holds by threads and shared memory, and as its
/// __launch_bounds__ say: how many registers it takes is known to ptxas alone.
int occupancy(const Kernel& kernel, int threads, std::size_t dynamic_shared) {
  constexpr int kSharedOfSystem = 1024;
  const int shared = static_cast<int>(kernel.static_shared + dynamic_shared) + kSharedOfSystem;
  const int most = machine().settings.most_blocks;
  return std::min({kThreadsOfMultiprocessor / std::max(threads, 1),
                   kSharedOfMultiprocessor / shared, most,
                   kernel.min_blocks > 0 ? kernel.min_blocks : most});
}

struct Configuration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};

/// Of launches that have begun on this thread.
std::vector<Configuration>& configurations() {
  thread_local std::vector<Configuration> stack;
  return stack;
}

}  // namespace

void enqueue(cudaStream_t stream, std::function<void()> work) {
  const Lock lock(machine().mutex);
  machine().streams.enqueue(number_of(stream), [work = std::move(work)] {
    if (machine().sticky() == cudaSuccess)
      work();  // as kernels and copies: what it reads may never have come
  });
  machine().streams.pass_time(machine().settings.streams, machine().random);
}

void mark_written(const void* memory, std::size_t size) {
  const std::uint64_t address = reinterpret_cast<std::uint64_t>(memory);
  Piece* const piece = device_memory().find(address);
  if (!piece) unknown("memory that was not allocated");
  DeviceMemory::mark_written(*piece, address, size);
}

extern "C" {

// what nvcc puts into objects

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char* host, char*, const char* symbol, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  machine().register_function(host, symbol);
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                     CUstream_st* stream) {
  configurations().push_back({grid, block, shared, stream});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  const Configuration& last = configurations().back();
  *grid = last.grid, *block = last.block, *shared = last.shared;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  configurations().pop_back();
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments, shared,
                          stream);
}

// errors and the device

cudaError_t cudaGetLastError() {
  const Lock lock(machine().mutex);
  return machine().take_last();
}
cudaError_t cudaPeekAtLastError() {
  const Lock lock(machine().mutex);
  return machine().sticky() != cudaSuccess ? machine().sticky() : machine().last();
}
const char* cudaGetErrorString(cudaError_t status) {
  switch (status) {
    case cudaSuccess:
      return "no error";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorInvalidDeviceFunction:
      return "invalid device function";
    case cudaErrorIllegalAddress:
      return "an illegal memory access was encountered";
    case cudaErrorLaunchOutOfResources:
      return "too many resources requested for launch";
    case cudaErrorInsufficientDriver:
      return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorNoDevice:
      return "no CUDA-capable device is detected";
    default:
      return "unknown error";
  }
}
cudaError_t cudaGetDeviceCount(int* count) {
  HEFT_RETURN_IF_FAILS(cudaErrorUnknown);
  *count = 0;
  if (!machine().settings.is_there) return machine().say(cudaErrorNoDevice);
  if (driver_version() < CUDART_VERSION) return machine().say(cudaErrorInsufficientDriver);
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  HEFT_RETURN_IF_FAILS(cudaErrorUnknown);
  *version = driver_version();
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  HEFT_RETURN_IF_FAILS(cudaErrorUnknown);
  if (device != 0) return machine().say(cudaErrorInvalidDevice);
  *p = {};
  std::strncpy(p->name, "PTX on the host", sizeof p->name - 1);
  p->major = 9, p->minor = 0, p->multiProcessorCount = machine().settings.num_multiprocessors,
  p->warpSize = 32;
  p->totalGlobalMem = machine().settings.memory_bytes;
  p->sharedMemPerBlock = kSharedOfBlock,
  p->sharedMemPerBlockOptin = static_cast<std::size_t>(machine().settings.most_shared_bytes);
  p->sharedMemPerMultiprocessor = kSharedOfMultiprocessor;
  p->regsPerBlock = p->regsPerMultiprocessor = 65536;
  p->maxThreadsPerBlock = 1024, p->maxThreadsPerMultiProcessor = kThreadsOfMultiprocessor;
  return cudaSuccess;
}

// memory

cudaError_t cudaMalloc(void** memory, std::size_t size) {
  return allocate(memory, size, false);
}
cudaError_t cudaMallocHost(void** memory, std::size_t size) {
  return allocate(memory, size, true);
}
cudaError_t cudaFree(void* memory) {
  return release(memory, false);
}
cudaError_t cudaFreeHost(void* memory) {
  return release(memory, true);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t size, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  HEFT_RETURN_IF_FAILS(cudaErrorInvalidValue);
  check_kind(kind);
  const void* const of_host = kind == cudaMemcpyHostToDevice ? from : to;
  const bool is_pinned = device_memory().find(reinterpret_cast<std::uint64_t>(of_host)) != nullptr;
  enqueue(stream, [=] { machine().copy(to, from, size, kind); });
  if (!is_pinned) machine().streams.run_until(machine().streams.end_of(number_of(stream)));
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t size, cudaMemcpyKind kind) {
  HEFT_RETURN_IF_FAILS(cudaErrorInvalidValue);
  check_kind(kind);
  enqueue(nullptr, [=] { machine().copy(to, from, size, kind); });
  machine().streams.run_until(machine().streams.end_of(Streams::kDefault));
  return machine().say(machine().sticky());
}

// streams and events

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  HEFT_RETURN_IF_FAILS(cudaErrorMemoryAllocation);
  if (flags != cudaStreamNonBlocking) unknown("streams that wait for the default stream");
  *stream = reinterpret_cast<cudaStream_t>(static_cast<std::intptr_t>(machine().streams.create()));
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const Lock lock(machine().mutex);
  machine().streams.destroy(number_of(stream));
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  HEFT_RETURN_IF_FAILS(cudaErrorUnknown);
  machine().streams.run_until(machine().streams.end_of(number_of(stream)));
  return machine().say(machine().sticky());
}
cudaError_t cudaDeviceSynchronize() {
  HEFT_RETURN_IF_FAILS(cudaErrorUnknown);
  machine().streams.run_all();
  return machine().say(machine().sticky());
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  HEFT_RETURN_IF_FAILS(cudaErrorUnknown);
  machine().streams.enqueue_wait(number_of(stream), event_of(event).place);
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  HEFT_RETURN_IF_FAILS(cudaErrorMemoryAllocation);
  if (flags != cudaEventDefault && flags != cudaEventDisableTiming) unknown("flags of an event");
  *event = reinterpret_cast<cudaEvent_t>(new Event{{}, flags == cudaEventDefault});
  ++machine().num_events;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const Lock lock(machine().mutex);
  delete &event_of(event);
  --machine().num_events;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  HEFT_RETURN_IF_FAILS(cudaErrorUnknown);
  event_of(event).place = machine().streams.end_of(number_of(stream));
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  HEFT_RETURN_IF_FAILS(cudaErrorUnknown);
  machine().streams.run_until(event_of(event).place);
  return machine().say(machine().sticky());
}
/// Time is not emulated: always a millisecond.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  HEFT_RETURN_IF_FAILS(cudaErrorUnknown);
  if (!event_of(begin).is_timed || !event_of(end).is_timed)
    return machine().say(cudaErrorInvalidResourceHandle);
  *milliseconds = 1;
  return cudaSuccess;
}

// kernels

cudaError_t cudaLaunchKernel(const void* host, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared, cudaStream_t stream) {
  let_others_come_between();
  HEFT_RETURN_IF_FAILS(cudaErrorLaunchOutOfResources);
  const Function* const function = machine().find_function(host);
  if (!function) return machine().say(cudaErrorInvalidDeviceFunction);
  constexpr unsigned kMaxInRow = 0x7FFFFFFF, kMaxInColumn = 65535, kMaxThreads = 1024;
  const std::size_t threads = std::size_t{block.x} * block.y * block.z;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || threads == 0 || threads > kMaxThreads ||
      grid.x > kMaxInRow || grid.y > kMaxInColumn || grid.z > kMaxInColumn)
    return machine().say(cudaErrorInvalidConfiguration);
  const Kernel& kernel = *function->kernel;
  if (kernel.max_threads > 0 && threads > static_cast<std::size_t>(kernel.max_threads))
    return machine().say(cudaErrorLaunchOutOfResources);
  if (shared > static_cast<std::size_t>(function->most_dynamic_shared))
    return machine().say(cudaErrorInvalidValue);
  machine().launch(*function, grid, block, arguments, shared, number_of(stream));
  machine().streams.pass_time(machine().settings.streams, machine().random);
  return cudaSuccess;
}
/// The attribute is the limit from then on, also where it is less than what is allowed without.
cudaError_t cudaFuncSetAttribute(const void* host, cudaFuncAttribute what, int value) {
  HEFT_RETURN_IF_FAILS(cudaErrorInvalidValue);
  Function* const function = machine().find_function(host);
  if (!function) return machine().say(cudaErrorInvalidDeviceFunction);
  if (what != cudaFuncAttributeMaxDynamicSharedMemorySize) unknown("an attribute of a kernel");
  if (value < 0 || value + static_cast<int>(function->kernel->static_shared) >
                       machine().settings.most_shared_bytes)
    return machine().say(cudaErrorInvalidValue);
  function->most_dynamic_shared = value;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* host,
                                                                   int threads,
                                                                   std::size_t dynamic_shared,
                                                                   unsigned) {
  HEFT_RETURN_IF_FAILS(cudaErrorUnknown);
  const Function* const function = machine().find_function(host);
  if (!function) return machine().say(cudaErrorInvalidDeviceFunction);
  *blocks = occupancy(*function->kernel, threads, dynamic_shared);
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* host,
                                                          int threads, std::size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, threads,
                                                                dynamic_shared, 0);
}

}  // extern "C"

}  // namespace heft::device_on_host
