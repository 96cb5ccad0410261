// Small work for the whole of a device: every kernel of Heft, each with the CPU's result.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heft/base/result.hpp"

namespace heft::testing {

/// Numbers that a device is to find.
using Numbers = std::vector<double>;

struct DeviceTask {
  std::string name;
  /// On a backend or solver made for it, which is gone afterwards: `runs` times the same, one after
  /// the other; the answer of the last, or its error. An error earlier does not keep the rest from
  /// running. No runs: no numbers.
  std::function<Result<Numbers>(int runs)> run;
  Numbers expected;  ///< of the CPU: of its own code, for batches of one thread that runs the
                     ///< kernel's
  double tolerance;  ///< of the difference's norm, to that of `expected`

  bool is_right(const Numbers& numbers) const;
};

/// Moments in every form, sums of parts among them, rows, given rows, torques and motions of a
/// small robot, and batches whose factor is in shared memory or not. Nothing of a device is asked
/// yet.
std::vector<DeviceTask> device_tasks();

/// For who wants every branch to matter, on the checked build: chunks of several slabs, sums of
/// several rounds, in every kernel; trees with joints of every kind; counts of what is done; larger
/// batches with a problem that has no answer.
std::vector<DeviceTask> more_device_tasks();

}  // namespace heft::testing
