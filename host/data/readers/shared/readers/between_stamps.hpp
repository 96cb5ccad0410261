// Part of a log: the rows between two stamps of its own clock.
#pragma once

#include <limits>
#include <string>

#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Of every clock of a log [s], as it writes them.
struct Stamps {
  double from = -std::numeric_limits<double>::infinity();
  double to = std::numeric_limits<double>::infinity();  ///< both included
};

/// Hands on what lies between; the rest is read as well, since the digest is that of the whole.
/// `time_scale`: of the format by which `whole` was opened; `remedy`: where to correct the stamps.
/// Errors, besides those of `whole`: no row lies between.
SourcePtr between_stamps(SourcePtr whole, const Stamps& stamps, double time_scale,
                         const std::string& remedy);

/// The first and the last stamp of the clock that leads. Errors: those of opening and reading, a
/// log without a clock.
Result<Stamps> stamps_of(const Log& log, const LogFormat& format);

/// The same of a source that nothing has been read from.
Result<Stamps> stamps_of(SourcePtr source, double time_scale);

}  // namespace heft
#pragma GCC visibility pop
