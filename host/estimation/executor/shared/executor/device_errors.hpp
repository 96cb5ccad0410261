// Distinguishes a device that is lost from errors that concern one caller.
#pragma once

#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Whether an error of a backend, batch or conditioner means that all who use the device fail.
/// Lack of memory does not: others may need less.
bool is_device_lost(const Error& error);

}  // namespace heft
#pragma GCC visibility pop
