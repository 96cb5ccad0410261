// Source with clocks in seconds, for any unit of the stamps.
//
// Stamps since 1970 (including pairs of columns with seconds and nanoseconds) become seconds since
// the whole second of the first, jointly for all groups, before doubles lose the fraction.
#pragma once

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"
#include "readers/source_over.hpp"

namespace heft {

/// Result of in_seconds(), whose units are not converted again.
class SourceInSeconds : public SourceOver {
 public:
  using SourceOver::SourceOver;
};

/// Returns the source unchanged if LogFormat::time_scale applies. Groups get a clock if a time
/// column is found, by name or as two columns of seconds and nanoseconds; a table without one gets
/// a time column if LogFormat::rate_hz is given. Errors: both a unit and a scale, an unknown unit,
/// no or several candidate columns of nanoseconds; while reading, those of the source.
Result<SourcePtr> in_seconds(SourcePtr source, const LogFormat& format);

/// Replaces the numbers of a column, one per row, in the block's own memory.
void replace_column(ColumnBlock& block, int place, const std::vector<double>& numbers);

}  // namespace heft
