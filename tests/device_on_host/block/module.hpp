// The translator's description of a file of kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heft::device_on_host {

class Thread;

/// An instruction that accesses memory or waits for other threads.
struct Site {
  int number = 0;  ///< in its module
  const char* instruction = "";
  int ptx_line = 0;
  const char* source = "";  ///< file:line of the CUDA source, if nvcc told it
  const char* function = "";
  std::uint32_t used_bytes = 0xFFFFFFFF;  ///< of what it loads: bits of the bytes that matter
};

/// Classes of opcodes in profiles; a generic load or store is counted where its pointer led.
enum class Class {
  fp64,
  fp64_tensor,
  fp64_special,
  fp32,
  fp32_special,
  integer,
  convert,
  move,
  compare,
  branch,
  load_generic,
  store_generic,
  load_global,
  store_global,
  load_shared,
  store_shared,
  load_local,
  store_local,
  load_param,
  atomic,
  copy_async,
  shuffle,
  barrier,
  call
};

/// So many times a basic block has an opcode.
struct OpcodeCount {
  int block;
  const char* opcode;
  Class opcode_class;
  int times;
};

/// What can be removed from a kernel at run time.
struct Mutant {
  const char* kernel;
  const char* kind;   ///< barrier, guard or bound
  const char* place;  ///< in the sources; of a barrier, with the calls around it
};

struct Kernel {
  const char* symbol;  ///< as in the PTX
  void (*run)(Thread&, std::byte* const* parameters);
  std::vector<std::uint32_t> parameter_sizes;
  std::uint32_t static_shared;  ///< bytes
  int max_threads, min_blocks;  ///< of __launch_bounds__; 0: not given
};

/// A table that kernels only read.
struct ConstantMemory {
  const unsigned char* begin;
  std::size_t size;
};

struct Module {
  const char* name;
  std::vector<Kernel> kernels;
  std::vector<ConstantMemory> constants;
  const Site* sites;
  int num_sites, num_blocks;
  std::vector<OpcodeCount> opcodes;
  std::vector<Mutant> mutants;  ///< a mutant's number is its place here
};

}  // namespace heft::device_on_host
