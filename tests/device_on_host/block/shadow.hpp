// State of every four bytes of memory: whether they were written, and who accessed them last. Time
// is counted in stamps, which increase with every barrier: a thread's accesses between two of them
// have one stamp.
#pragma once

#include <cstdint>

namespace heft::device_on_host {

struct Shadow {
  static constexpr std::uint16_t kSeveral = 0xFFFF;  ///< threads of one block, as readers

  std::uint32_t write_stamp = 0, read_stamp = 0;  ///< 0: none
  std::uint16_t write_thread = 0, read_thread = 0;
  std::uint8_t is_written : 4 = 0;   ///< of every byte: ever
  std::uint8_t write_bytes : 4 = 0;  ///< that the last write wrote
  std::uint8_t read_bytes : 4 = 0;
  bool was_atomic : 1 = false;         ///< the last write
  bool is_read_by_blocks : 1 = false;  ///< of the launch of read_stamp, several
  bool is_under_way : 1 = false;       ///< a copy that is not waited for writes it
};

}  // namespace heft::device_on_host
