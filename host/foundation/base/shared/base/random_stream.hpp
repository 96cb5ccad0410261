// Random numbers that are the same on every platform: the standard defines the generator but not
// its distributions.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace heft {

/// A random generator with platform-independent distributions.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : generator_(seed) {}

  /// Returns a number in [0, 1) with 53 random bits.
  double uniform() { return static_cast<double>(generator_() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  /// Returns a standard normal number, by the Box-Muller method.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::mt19937_64 generator_;
};

}  // namespace heft
