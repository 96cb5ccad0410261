// log.exclude: stretches of logs that are not learned from, in words.
#pragma once

#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/evidence/evidence.hpp"
#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft::config {

struct ExcludedStretch {
  double from_s = 0, to_s = 0;  ///< by the stamps of the log
  std::string log;              ///< its path or the name of its file; empty: all
};

/// "12 to 14.5 of train.csv", "12 to 14.5". Errors: other words, no end after the beginning.
Result<ExcludedStretch> read_excluded_stretch(const std::string& words);

/// The option in YAML, a line, with the stretches of contacts beside those in force.
std::string excluding(const std::vector<std::string>& in_force,
                      const std::vector<Contact>& contacts, const std::vector<Log>& logs);

/// The logs without the stretches that are of them. Errors: those of read_excluded_stretch; a name
/// that no log has.
Result<std::vector<Log>> without_excluded(const std::vector<std::string>& stretches,
                                          std::vector<Log> logs);

}  // namespace heft::config
#pragma GCC visibility pop
