// A log without some stretches of time that are unusable, for example because of a contact or a
// stopped drive.
#pragma once

#include <vector>

#include "heft/log/source.hpp"
#include "readers/between_stamps.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the log without its rows from `from` to `to` of every stretch [s, in the time with which
/// the format reads the log, both included]. Samples on the two sides belong to different segments,
/// however short the stretch. The digest is that of the whole log. Errors: those of the log.
Log without_stretches(const Log& log, std::vector<Stamps> stretches);

}  // namespace heft
#pragma GCC visibility pop
