// Counts of launches: instructions, sectors of global memory, passes through the banks of shared
// memory. README.md, section Profile, describes the format of the file.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/device_on_host/block/launch.hpp"

namespace heft::device_on_host {

/// By threads and by warps.
struct Count {
  std::uint64_t thread = 0, warp = 0;
};

/// Of one kind of access to one space.
struct Traffic {
  std::uint64_t threads = 0, requests = 0, bytes = 0;
  std::uint64_t sectors = 0;                           ///< of global and local memory
  std::uint64_t wavefronts = 0, least_wavefronts = 0;  ///< of shared memory

  void add(const Traffic& more);
};

inline constexpr int kAccessKinds = 4, kSpaces = 4;

struct LaunchProfile {
  const Module* module = nullptr;
  const Kernel* kernel = nullptr;
  Extent grid, block;
  std::uint32_t dynamic_shared = 0;
  std::vector<Count> basic_blocks;  ///< times they were entered
  std::array<std::array<Traffic, kAccessKinds>, kSpaces> traffic;
  std::vector<std::array<Traffic, kSpaces>> sites;  ///< the same by instructions
  std::uint64_t barriers = 0;
  std::unordered_map<std::uint64_t, std::uint8_t> sectors;  ///< of global memory: bits of
                                                            ///< kSectorRead and so on
  std::uint64_t sectors_read = 0, sectors_written = 0,
                sectors_read_first = 0;  ///< once the launch is over
};

class Profile {
 public:
  void begin_launch(const Launch& launch);
  LaunchProfile& current() { return launches_.back(); }
  /// Executions by threads, of every opcode of all launches.
  using Executions = std::map<std::string, std::uint64_t>;
  Executions executions() const;
  /// Throws std::runtime_error if `path` cannot be written.
  void write(const std::string& path);

 private:
  void end_launch();

  std::vector<LaunchProfile> launches_;
};

/// Of the block that runs: accesses are gathered until all threads wait, then those that a warp did
/// together are found.
class BlockProfile {
 public:
  BlockProfile(Profile& profile, const Launch& launch);

  std::uint32_t* block_counts(std::uint32_t rank);
  /// `address`: of global memory, or the place in shared or local memory.
  void access(const Thread& thread, const Site& site, Space space, std::uint64_t address,
              std::uint32_t size, AccessKind kind);
  void barrier(const Thread& thread);
  void everyone_waits();
  void end_block();

 private:
  struct Access {
    int site;
    std::uint32_t turn, lane, size;
    std::uint64_t address;
    Space space;
    AccessKind kind;
  };
  using Accesses = std::vector<Access>;

  void use_sectors(std::uint64_t address, std::uint32_t size, AccessKind kind);
  void add_request(const Access* begin, const Access* end);

  LaunchProfile& launch_;
  std::size_t num_threads_, num_blocks_, num_sites_;
  std::vector<std::uint32_t> counts_;  ///< of threads x basic blocks
  std::vector<std::uint32_t> turns_;   ///< of threads x sites: times since all waited
  std::vector<Accesses> accesses_;     ///< by warp
  std::vector<std::uint64_t> barriers_;
};

}  // namespace heft::device_on_host
