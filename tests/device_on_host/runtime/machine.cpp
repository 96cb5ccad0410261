#include "tests/device_on_host/runtime/machine.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "tests/device_on_host/block/device_memory.hpp"
#include "tests/device_on_host/block/findings.hpp"
#include "tests/device_on_host/block/symbols.hpp"

namespace heft::device_on_host {

namespace {

constexpr int kExitOnFindings = 3;

/// The value that `name` of the environment stands for; `otherwise` if it is not set.
template <class T>
T choice(const char* name, T otherwise, std::initializer_list<std::pair<const char*, T>> choices) {
  const char* const value = std::getenv(name);
  if (!value) return otherwise;
  for (const auto& [word, meaning] : choices)
    if (std::strcmp(word, value) == 0) return meaning;
  unknown(std::string(name) + "=" + value);
}

template <class T>
T number(const char* name, T otherwise) {
  const char* const value = std::getenv(name);
  if (!value) return otherwise;
  char* end = nullptr;
  const auto result = std::strtoull(value, &end, 10);
  if (*value == '\0' || *end != '\0') unknown(std::string(name) + "=" + value);
  return static_cast<T>(result);
}

Settings settings_of_environment() {
  Settings s;
  s.streams = choice("HEFT_DEVICE_STREAMS", s.streams,
                     {{"eager", StreamOrder::eager},
                      {"lazy", StreamOrder::lazy},
                      {"random", StreamOrder::random}});
  s.threads = choice("HEFT_DEVICE_THREADS", s.threads,
                     {{"ascending", ThreadOrder::ascending},
                      {"descending", ThreadOrder::descending},
                      {"random", ThreadOrder::random}});
  s.copies_are_early =
      choice("HEFT_DEVICE_COPIES", s.copies_are_early, {{"late", false}, {"early", true}});
  s.seed = number("HEFT_DEVICE_SEED", s.seed);
  s.num_multiprocessors = number("HEFT_DEVICE_MULTIPROCESSORS", s.num_multiprocessors);
  s.memory_bytes = number("HEFT_DEVICE_MEMORY", s.memory_bytes);
  s.most_shared_bytes = number("HEFT_DEVICE_SHARED", s.most_shared_bytes);
  s.most_blocks = number("HEFT_DEVICE_BLOCKS", s.most_blocks);
  s.is_there = number("HEFT_DEVICE_COUNT", 1) > 0;
  s.fail_at = number("HEFT_DEVICE_FAIL_AT", s.fail_at);
  s.fault =
      choice("HEFT_DEVICE_FAULT", s.fault, {{"once", Fault::once}, {"sticky", Fault::sticky}});
  return s;
}

/// Processor time of the program so far.
double processor_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Writes JSON; returns whether it worked.
bool write(const BusTraffic& traffic, const std::string& path) {
  std::int64_t num_launches = 0;
  std::string kernels;
  for (const auto& [symbol, count] : traffic.launches) {
    num_launches += count;
    kernels += (kernels.empty() ? "\"" : ", \"") + symbol + "\": " + std::to_string(count);
  }
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (!file) return false;
  std::fprintf(file,
               "{\"bytes_up\": %lld, \"bytes_down\": %lld, \"copies\": %lld, \"launches\": %lld, "
               "\"kernels\": {%s}, \"emulation_s\": %.6f, \"processor_s\": %.6f}\n",
               static_cast<long long>(traffic.bytes_up), static_cast<long long>(traffic.bytes_down),
               static_cast<long long>(traffic.copies), static_cast<long long>(num_launches),
               kernels.c_str(), traffic.emulation_s, processor_s());
  return std::fclose(file) == 0;
}

}  // namespace

void unknown(const std::string& what) {
  std::fprintf(stderr, "device_on_host: not known to the stand-in: %s\n", what.c_str());
  std::abort();
}

void finish_at_exit() {
  machine().finish();
}

Machine::Machine() {
  set(settings_of_environment());
  if (const char* const path = std::getenv("HEFT_DEVICE_PROFILE")) {
    if (!kIsChecked) unknown("HEFT_DEVICE_PROFILE without the checked build");
    profile_path_ = path;
  }
  if (const char* const path = std::getenv("HEFT_DEVICE_TRAFFIC")) traffic_path_ = path;
  modules();  // made before, destroyed after: what is done at exit still reads them
  std::atexit(&finish_at_exit);
}

Machine& machine() {
  static auto* const the_one = new Machine;  // programs free memory until their very end
  return *the_one;
}

/// Unread findings are a failure of the program.
void Machine::finish() {
  if (!profile_path_.empty()) {
    try {
      profile_.write(profile_path_);
    } catch (const std::runtime_error& error) {
      unknown(error.what());
    }
  }
  if (!traffic_path_.empty() && !write(traffic, traffic_path_))
    unknown("HEFT_DEVICE_TRAFFIC=" + traffic_path_);
  if (findings().empty()) return;
  std::fprintf(stderr, "device_on_host: %zu findings\n", findings().take().size());
  std::fflush(nullptr);
  std::_Exit(kExitOnFindings);
}

void Machine::set(const Settings& s) {
  settings = s;
  random.seed(s.seed);
  streams.forget_all();
  num_calls_that_can_fail = 0;
  launched_kernels.clear();
  counted = {};
  last_ = sticky_ = cudaSuccess;
}

cudaError_t Machine::say(cudaError_t status) {
  if (status != cudaSuccess) last_ = status;
  return status;
}

cudaError_t Machine::take_last() {
  const cudaError_t result = std::exchange(last_, cudaSuccess);
  return sticky_ != cudaSuccess ? sticky_ : result;
}

bool Machine::fails(cudaError_t status, cudaError_t& result) {
  streams.pass_time(settings.streams, random);
  if (++num_calls_that_can_fail == settings.fail_at) {
    if (settings.fault == Fault::sticky) sticky_ = cudaErrorIllegalAddress;
    result = say(settings.fault == Fault::sticky ? sticky_ : status);
    return true;
  }
  if (sticky_ == cudaSuccess) return false;
  result = say(sticky_);
  return true;
}

void Machine::register_function(const void* host, const std::string& symbol) {
  for (const Module* const module : modules())
    for (const Kernel& kernel : module->kernels)
      if (without_hash(kernel.symbol) == without_hash(symbol))
        functions_[host] = {module, &kernel,
                            kSharedOfBlock - static_cast<int>(kernel.static_shared)};
}

Function* Machine::find_function(const void* host) {
  const auto found = functions_.find(host);
  return found == functions_.end() ? nullptr : &found->second;
}

void Machine::launch(const Function& function, dim3 grid, dim3 block, void** arguments,
                     std::size_t shared, int stream) {
  launched_kernels.insert(function.kernel->symbol);
  ++traffic.launches[function.kernel->symbol];
  Launch launch{function.module,
                function.kernel,
                {grid.x, grid.y, grid.z},
                {block.x, block.y, block.z},
                static_cast<std::uint32_t>(shared),
                {}};
  for (std::size_t k = 0; k < function.kernel->parameter_sizes.size(); ++k) {
    const auto* const value = static_cast<const std::byte*>(arguments[k]);
    launch.parameters.emplace_back(value, value + function.kernel->parameter_sizes[k]);
  }
  streams.enqueue(stream, [this, launch = std::move(launch)] {
    if (sticky_ != cudaSuccess) return;
    const Circumstances circumstances{
        settings.threads,
        &random,
        settings.copies_are_early,
        settings.mutated_module == launch.module ? settings.removed_mutant : -1,
        settings.most_steps,
        settings.counts         ? &counted
        : profile_path_.empty() ? nullptr
                                : &profile_};
    if (!run(launch, circumstances)) sticky_ = cudaErrorIllegalAddress;
  });
}

void Machine::copy(void* to, const void* from, std::size_t size, cudaMemcpyKind kind) {
  if (sticky_ != cudaSuccess || size == 0) return;
  const bool is_upload = kind == cudaMemcpyHostToDevice;
  const auto begin_of = [](const void* memory) { return reinterpret_cast<std::uint64_t>(memory); };
  const auto ends_in = [&](const Piece& piece, const void* memory) {
    return begin_of(memory) + size <= begin_of(piece.begin) + piece.size;
  };
  const void* const of_device = is_upload ? to : from;
  const void* const of_host = is_upload ? from : to;
  Piece* const device = device_memory().find(begin_of(of_device));
  if (!device || device->is_pinned || !ends_in(*device, of_device)) {
    findings().add("copy beyond memory of the device: " + std::to_string(size) + " bytes at " +
                   describe(begin_of(of_device)));
    break_device(cudaErrorInvalidValue);
    return;
  }
  const Piece* const host = device_memory().find(begin_of(of_host));
  if (host && (!host->is_pinned || !ends_in(*host, of_host)))
    findings().add("copy beyond memory of the host: " + std::to_string(size) + " bytes at " +
                   describe(begin_of(of_host)));
  std::memcpy(to, from, size);
  ++traffic.copies;
  (is_upload ? traffic.bytes_up : traffic.bytes_down) += static_cast<std::int64_t>(size);
  if (is_upload)
    DeviceMemory::mark_written(*device, begin_of(to), size,
                               host ? static_cast<const std::byte*>(from) : nullptr);
}

Settings settings() {
  return machine().settings;
}
void set(const Settings& settings) {
  const std::lock_guard lock(machine().mutex);
  machine().set(settings);
}
std::int64_t num_calls_that_can_fail() {
  return machine().num_calls_that_can_fail;
}
std::map<std::string, std::uint64_t> executions() {
  const std::lock_guard lock(machine().mutex);
  machine().streams.run_all();
  machine().settings.counts = false;
  return machine().counted.executions();
}
std::set<std::string> launched_kernels() {
  return machine().launched_kernels;
}
void before_next_launch(std::function<void()> work) {
  const std::lock_guard lock(machine().mutex);
  machine().before_next_launch = std::move(work);
}
Holdings holdings() {
  return {device_memory().num_pieces(), machine().streams.count(), machine().num_events};
}

}  // namespace heft::device_on_host
