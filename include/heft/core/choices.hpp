// What users and kernels choose by name: the features of motion that a configured column can be
// made of (anything richer is an expression that the host evaluates into a sample signal), the
// numbers in which rows are computed, and the kinds of rows of mechanics. Threads: plain values and
// functions without memory: any number of threads may use them.
#pragma once

#include "heft/core/platform.hpp"

namespace heft::core {

/// What a column multiplies.
enum class Feature : int {
  one,            ///< 1
  position,       ///< q
  velocity,       ///< qd
  acceleration,   ///< qdd
  sign_velocity,  ///< sign(qd), 0 at rest
  tanh_velocity,  ///< tanh(qd / width)
  signal,         ///< a sample array made on the host
};

/// In which numbers rows are computed. Sums over samples are kept in fp64 either way.
enum class Precision : int {
  fp64,
  fp32,  ///< rows and the products of at most 176 samples, shared by lanes; then the sums are added
         ///< up in fp64
};

/// What a row is of. The first four have a row a channel, the next three one a state, and those of
/// the world six.
enum class MechanicsRow : int {
  torque,              ///< M a + C v + g [N m or N]
  gravity,             ///< g [N m or N]
  momentum,            ///< M v [N m s or N s]
  coriolis_transpose,  ///< C'v [N m or N]
  kinetic,             ///< [J]
  potential,           ///< [J], zero at the world's origin
  power,               ///< v'tau = d/dt (kinetic + potential) [W]
  world_wrench,   ///< what holds and moves the robot: force [N], torque about the world's origin [N
                  ///< m]
  world_gravity,  ///< the same at rest
  world_momentum,  ///< linear [N s], angular about the world's origin [N m s]
};

HEFT_HD constexpr bool is_of_channels(MechanicsRow kind) {
  return kind < MechanicsRow::kinetic;
}
HEFT_HD constexpr bool is_of_world(MechanicsRow kind) {
  return kind >= MechanicsRow::world_wrench;
}
/// Of a state.
HEFT_HD constexpr int num_mechanics_rows(MechanicsRow kind, int num_channels) {
  return is_of_channels(kind) ? num_channels : is_of_world(kind) ? 6 : 1;
}

}  // namespace heft::core
