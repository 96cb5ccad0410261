// The features of motion that a configured column can be made of. Anything richer is an expression
// that the host evaluates into a sample signal. Threads: functions without memory: any number of
// threads may call them.
#pragma once

namespace heft::core {

enum class Feature : int {
  one,            ///< 1
  position,       ///< q
  velocity,       ///< qd
  acceleration,   ///< qdd
  sign_velocity,  ///< sign(qd), 0 at rest
  tanh_velocity,  ///< tanh(qd / width)
  signal,         ///< a sample array made on the host
};

}  // namespace heft::core
