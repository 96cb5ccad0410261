// A source whose clocks are in seconds, whatever the unit of its stamps.
//
// Stamps since 1970 (and two columns of seconds and nanoseconds) become seconds since the whole
// second of the first, for all groups alike, before doubles lose what is behind the point.
#pragma once

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"
#include "source_over.hpp"

namespace heft {

/// A source that hands on what in_seconds() made: it does not ask for units again.
class SourceInSeconds : public SourceOver {
 public:
  using SourceOver::SourceOver;
};

/// The source itself where LogFormat::time_scale says all. Its groups have clocks where a column of
/// time is found: by name, or two columns of seconds and nanoseconds; a table without one gets a
/// column of time where LogFormat::rate_hz is given. Errors: a unit and a scale at once, an unknown
/// unit, no column of nanoseconds or more than one that may be meant; while it is read those of the
/// source.
Result<SourcePtr> in_seconds(SourcePtr source, const LogFormat& format);

/// Puts other numbers, one a row, in the place of a column; the block's own memory takes them in.
void replace_column(ColumnBlock& block, int place, const std::vector<double>& numbers);

}  // namespace heft
