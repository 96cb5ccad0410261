// The state of the emulated device: errors, streams with their pending work, and counts.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <string>

#include "tests/device_on_host/block/profile.hpp"
#include "tests/device_on_host/runtime/stand_in.hpp"

namespace heft::device_on_host {

/// A place in a stream: everything that it got before.
struct Place {
  int stream = -1;  ///< none: nothing to wait for
  std::uint64_t number = 0;
};

/// All streams of the device. Work of one is done in its order; of several, in any that events
/// allow.
class Streams {
 public:
  static constexpr int kDefault = 0;

  int create();
  /// What it still has is done some time.
  void destroy(int stream);
  bool has(int stream) const { return queues_.count(stream) != 0; }
  std::size_t count() const { return queues_.size() - 1 - num_destroyed_; }

  void enqueue(int stream, std::function<void()> work);
  /// What `stream` gets from now on waits for `place`.
  void enqueue_wait(int stream, Place place);
  Place end_of(int stream) const;

  void run_until(Place place);
  void run_all();
  /// As much as the order of streams has it that time has done.
  void pass_time(StreamOrder order, std::mt19937_64& random);
  void forget_all();

 private:
  struct Work {
    std::function<void()> run;  ///< none: only waits
    Place waits_for;
  };
  struct Queue {
    std::deque<Work> waiting;
    std::uint64_t num_done = 0;
    bool is_destroyed = false;
  };

  void run_one(int stream);

  std::map<int, Queue> queues_{{kDefault, {}}};
  int next_ = 1;
  std::size_t num_destroyed_ = 0;
};

struct Event {
  Place place;
  bool is_timed = false;
};

/// A kernel as host code names it.
struct Function {
  const Module* module = nullptr;
  const Kernel* kernel = nullptr;
  int most_dynamic_shared = 0;  ///< bytes that a launch may ask for
};

/// What crossed the bus and what was launched, whether or not it failed later.
struct BusTraffic {
  std::int64_t bytes_up = 0, bytes_down = 0, copies = 0;
  std::map<std::string, std::int64_t> launches;  ///< by symbol of the kernel
  double emulation_s = 0;  ///< processor time that kernels and copies took on the host
};

class Machine {
 public:
  Machine();

  Settings settings;
  Streams streams;
  std::mt19937_64 random;
  std::size_t num_events = 0;
  std::function<void()> before_next_launch;
  std::int64_t num_calls_that_can_fail = 0;
  std::set<std::string> launched_kernels;
  Profile counted;     ///< since set(), if the settings ask for it
  BusTraffic traffic;  ///< since the program began
  std::recursive_mutex mutex;

  void set(const Settings& settings);

  /// What a call returns; an error is remembered until it is asked for.
  cudaError_t say(cudaError_t status);
  cudaError_t take_last();
  cudaError_t last() const { return last_; }
  /// Of the device since a kernel went wrong: no call works any more.
  cudaError_t sticky() const { return sticky_; }
  void break_device(cudaError_t status) { sticky_ = status; }

  /// Whether this call is the one that is made to fail, or the device is broken: then it returns
  /// what say() made of it. `status`: how the call fails when it does.
  bool fails(cudaError_t status, cudaError_t& result);

  /// Of host code: `host` stands for the kernel `symbol` of its file.
  void register_function(const void* host, const std::string& symbol);
  /// Null if it is none.
  Function* find_function(const void* host);

  void launch(const Function& function, dim3 grid, dim3 block, void** arguments, std::size_t shared,
              int stream);
  void copy(void* to, const void* from, std::size_t size, cudaMemcpyKind kind);

 private:
  cudaError_t last_ = cudaSuccess, sticky_ = cudaSuccess;
  std::map<const void*, Function> functions_;
  std::string profile_path_, traffic_path_;
  Profile profile_;

  void finish();
  friend void finish_at_exit();
};

Machine& machine();

/// Ends the program: something that the stand-in does not know was asked of it.
[[noreturn]] void unknown(const std::string& what);

inline constexpr int kSharedOfBlock = 49152;  ///< bytes; of compute capability 9.0, as what follows
inline constexpr int kSharedOfMultiprocessor = 233472;
inline constexpr int kThreadsOfMultiprocessor = 2048;

}  // namespace heft::device_on_host
