// Delay of the logged states of contacts, from the forces that explain the torques of the joints.
#pragma once

#include <optional>

#include "base_balance.hpp"

namespace heft::check {

struct ContactDelay {
  double late_s = 0;     ///< negative: early
  int num_contacts = 0;  ///< with flags that change
};

/// Returns the common delay of all flags, from 12 to 155 ms, if all parts of the log show it. `log`
/// has all rows of a stretch. Errors: a frame that does not exist.
Result<std::optional<ContactDelay>> contact_delay(const BaseLog& log);

}  // namespace heft::check
