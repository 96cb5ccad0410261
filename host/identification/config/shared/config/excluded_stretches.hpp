// log.exclude: text that names stretches of logs excluded from training.
#pragma once

#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/evidence/evidence.hpp"
#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft::config {

/// A stretch of a log.
struct ExcludedStretch {
  double from_s = 0, to_s = 0;  ///< in the stamps of the log
  std::string log;              ///< its path or file name; empty: all logs
};

/// Parses "12 to 14.5 of train.csv" or "12 to 14.5". Errors: any other form, an end that is not
/// after the beginning.
Result<ExcludedStretch> read_excluded_stretch(const std::string& words);

/// Returns the option as a line of YAML: the current stretches and those of the contacts.
std::string excluding(const std::vector<std::string>& in_force,
                      const std::vector<Contact>& contacts, const std::vector<Log>& logs);

/// Returns the logs without their excluded stretches. Errors: those of read_excluded_stretch; a
/// name that no log has.
Result<std::vector<Log>> without_excluded(const std::vector<std::string>& stretches,
                                          std::vector<Log> logs);

}  // namespace heft::config
#pragma GCC visibility pop
