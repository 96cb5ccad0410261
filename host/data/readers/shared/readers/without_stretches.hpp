// A log without some stretches of its time: what is known to be of no use for it, a contact, a
// drive that stood.
#pragma once

#include <vector>

#include "heft/log/source.hpp"
#include "readers/between_stamps.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The log with its rows from `from` to `to` of every stretch left out [s, as the log is read by
/// its format, both included]. Samples on either side are of two segments, however short the
/// stretch. Its digest is that of the whole. Errors: those of the log.
Log without_stretches(const Log& log, std::vector<Stamps> stretches);

}  // namespace heft
#pragma GCC visibility pop
