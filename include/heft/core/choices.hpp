// Choices that users and kernels make by name: the features of motion that form columns
// (richer functions are expressions that the host evaluates to a sample signal), the precision of
// rows, and the kinds of mechanics rows. Threads: stateless; safe to call from several threads.
#pragma once

#include "heft/core/platform.hpp"

namespace heft::core {

/// Function of the motion that a column's unknown multiplies.
enum class Feature : int {
  one,            ///< 1
  position,       ///< q
  velocity,       ///< qd
  acceleration,   ///< qdd
  sign_velocity,  ///< sign(qd), 0 at rest
  tanh_velocity,  ///< tanh(qd / width)
  signal,         ///< a sample array computed on the host
};

/// Floating-point format of rows. Sums over samples are always kept in fp64.
enum class Precision : int {
  fp64,
  fp32,  ///< rows, and their products over at most 176 samples, shared by lanes; sums are then
         ///< added in fp64
};

/// Quantity that a mechanics row gives. The first four kinds have one row per channel, the next
/// three one row per state, and those about the world six rows per state.
enum class MechanicsRow : int {
  torque,              ///< M a + C v + g [N m or N]
  gravity,             ///< g [N m or N]
  momentum,            ///< M v [N m s or N s]
  coriolis_transpose,  ///< C'v [N m or N]
  kinetic,             ///< [J]
  potential,           ///< [J], zero at the world's origin
  power,               ///< v'tau = d/dt (kinetic + potential) [W]
  world_wrench,    ///< wrench that holds and moves the robot: force [N], torque about the world's
                   ///< origin [N m]
  world_gravity,   ///< world_wrench at rest
  world_momentum,  ///< linear [N s], angular about the world's origin [N m s]
};

/// Returns whether the kind has one row per channel.
HEFT_HD constexpr bool is_of_channels(MechanicsRow kind) {
  return kind < MechanicsRow::kinetic;
}
/// Returns whether the kind is expressed in world axes, with six rows per state.
HEFT_HD constexpr bool is_of_world(MechanicsRow kind) {
  return kind >= MechanicsRow::world_wrench;
}
/// Returns the number of rows per state.
HEFT_HD constexpr int num_mechanics_rows(MechanicsRow kind, int num_channels) {
  return is_of_channels(kind) ? num_channels : is_of_world(kind) ? 6 : 1;
}

}  // namespace heft::core
