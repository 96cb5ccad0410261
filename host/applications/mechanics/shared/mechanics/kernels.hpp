// Kernels that compute mechanics rows of a pack of states, one object file per instruction set; one
// lane per state.
#pragma once

#include <cstddef>

#include "heft/core/mechanics_rows.hpp"

#pragma GCC visibility push(default)
namespace heft::mechanics {

/// Largest number of lanes of all instruction sets.
constexpr int kMaxLanes = 8;

/// A pack of states and the destination of their rows. Each number of the states is a pack, with
/// one lane per state.
struct RowTask {
  core::MechanicsTree tree;
  core::MechanicsRow kind;
  const double *position, *velocity, *acceleration;  ///< of every coordinate
  const double* base;            ///< core::kStateSize numbers, in the order of core::BodyState
  const int* first_parameter;    ///< of every body; -1: no parameters
  std::ptrdiff_t width;          ///< numbers per row
  double* rows;                  ///< of the first state, followed by those of the others
  std::ptrdiff_t size_of_state;  ///< numbers in all rows of a state
  double* workspace;             ///< core::mechanics_workspace_size packs, aligned to 64 bytes
};

/// The kernels of one instruction set.
struct Kernels {
  const char* name;
  int lanes;
  /// Writes all numbers except those that are zero for every state.
  void (*put_rows)(const RowTask& task);
  /// Copies `count` numbers, a multiple of the lanes, bypassing the caches; both addresses are
  /// aligned to a pack. Other threads see the copy after a fence.
  void (*stream)(const double* from, std::ptrdiff_t count, double* to);
  void (*fence)();
};

extern const Kernels kBaselineKernels, kAvx2Kernels, kAvx512Kernels;

}  // namespace heft::mechanics
#pragma GCC visibility pop
