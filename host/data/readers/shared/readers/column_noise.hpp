// White noise of logged columns: an estimate from the rows, and logs with more of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the standard deviation of the white noise of a signal at uniform times, from its sixth
/// differences in windows of 50 rows [Hall, Kay, Titterington 1990]; 0 if there are fewer than ten
/// windows. Motion and impacts only enlarge differences, so the tenth percentile of the windows'
/// mean squares counts.
double white_noise(const std::vector<double>& signal);

/// Returns the white noise of columns of a log over its first rows; columns that the log lacks have
/// none. Errors: those of the log.
Result<std::map<std::string, double>> noise_of_columns(const Log& log, const LogFormat& format,
                                                       const std::vector<std::string>& columns,
                                                       std::int64_t most_rows);

/// Returns the log with white noise added to columns by name, `factor` times the given standard
/// deviations; the same numbers in every pass and for every factor. It has no digest. Errors: those
/// of the log.
Log with_noise(const Log& log, const std::map<std::string, double>& deviations, double factor);

}  // namespace heft
#pragma GCC visibility pop
