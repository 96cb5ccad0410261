// One store with several sets of options: results/ holds the answers of exactly one of them at a
// time.
//
// DIR/options names the set of results/. A run with other options moves results/ and fleet.* to
// DIR/results-OPTIONS, and restores its own from an earlier run. A running process blocks runs with
// other options.
#pragma once

#include <string>
#include <utility>

#include "store.hpp"

namespace heft {

/// Returns the digest of the options of results/. Covers rows without a configuration of their own
/// and all flags; a changed configuration file affects only its own robots.
Result<std::string> digest_of_options(const FleetOptions& options);

class ResultOptions {
 public:
  /// `options`: digest of the options. Error: a run with other options is in progress; the store
  /// cannot be written.
  static Result<ResultOptions> take(const FleetStore& store, const std::string& options);
  ResultOptions(ResultOptions&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}
  ResultOptions& operator=(ResultOptions&&) = delete;
  ~ResultOptions();

 private:
  explicit ResultOptions(int handle) : handle_(handle) {}
  int handle_;  // locked shared by all running processes, exclusively by one that changes the
                // options
};

}  // namespace heft
