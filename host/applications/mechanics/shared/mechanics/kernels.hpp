// The rows of a pack of states, one object file an instruction set; lanes are states.
#pragma once

#include <cstddef>

#include "heft/core/mechanics_rows.hpp"

#pragma GCC visibility push(default)
namespace heft::mechanics {

/// Most lanes of any instruction set.
constexpr int kMaxLanes = 8;

/// A pack of states and where their rows go. Numbers of states lie number by number, a lane a
/// state.
struct RowTask {
  core::MechanicsTree tree;
  core::MechanicsRow kind;
  const double *position, *velocity, *acceleration;  ///< of every coordinate
  const double* base;            ///< core::kStateSize numbers, as core::BodyState has them
  const int* first_parameter;    ///< of every body; -1: it has none
  std::ptrdiff_t width;          ///< numbers of a row
  double* rows;                  ///< of the first state; those of the others follow
  std::ptrdiff_t size_of_state;  ///< numbers of a state's rows
  double* workspace;             ///< core::mechanics_workspace_size packs, aligned to 64 bytes
};

struct Kernels {
  const char* name;
  int lanes;
  /// Writes all numbers but those that are zero whatever the states are.
  void (*put_rows)(const RowTask& task);
  /// Copies past the caches `count` numbers, a multiple of the lanes; both places are multiples of
  /// a pack. What was copied is seen by other threads after a fence.
  void (*stream)(const double* from, std::ptrdiff_t count, double* to);
  void (*fence)();
};

extern const Kernels kBaselineKernels, kAvx2Kernels, kAvx512Kernels;

}  // namespace heft::mechanics
#pragma GCC visibility pop
