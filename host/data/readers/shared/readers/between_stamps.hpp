// Part of a log: the rows between two stamps of its own clock.
#pragma once

#include <limits>
#include <string>

#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A range of stamps [s], as written in the log.
struct Stamps {
  double from = -std::numeric_limits<double>::infinity();
  double to = std::numeric_limits<double>::infinity();  ///< both included
};

/// Returns a source of the rows between two stamps. It also reads the other rows, because the
/// digest covers the whole log. `time_scale` is that of the format with which `whole` was opened;
/// `remedy` says where to correct the stamps. Errors: those of `whole`; no row lies between the
/// stamps.
SourcePtr between_stamps(SourcePtr whole, const Stamps& stamps, double time_scale,
                         const std::string& remedy);

/// Returns the first and last stamp of the leading clock. Errors: those of opening and reading, a
/// log without a clock.
Result<Stamps> stamps_of(const Log& log, const LogFormat& format);

/// Does the same for a source from which nothing has been read.
Result<Stamps> stamps_of(SourcePtr source, double time_scale);

}  // namespace heft
#pragma GCC visibility pop
