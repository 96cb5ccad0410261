// One store, several sets of options: results/ holds the answers under one of them at a time, never
// a mixture.
//
// DIR/options names the set that results/ is of. A run under others puts results/ and fleet.* aside
// as DIR/results-OPTIONS, and takes its own back from there if it was here before. A run that is at
// work keeps runs under other options out.
#pragma once

#include <string>
#include <utility>

#include "store.hpp"

namespace heft {

/// Digest of the options that results/ is of. Of rows without a file of their own: flags count for
/// all, and a file that changed is its robots' matter.
Result<std::string> digest_of_options(const FleetOptions& options);

class ResultOptions {
 public:
  /// `options`: a digest of them. Error: another run is at work under other options; the store
  /// cannot be written.
  static Result<ResultOptions> take(const FleetStore& store, const std::string& options);
  ResultOptions(ResultOptions&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}
  ResultOptions& operator=(ResultOptions&&) = delete;
  ~ResultOptions();

 private:
  explicit ResultOptions(int handle) : handle_(handle) {}
  int handle_;  // shared by all runs at work, held alone by the one that changes the options
};

}  // namespace heft
