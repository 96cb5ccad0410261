// Findings of the checks: one for every kind and place in a kernel.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/device_on_host/block/thread.hpp"

namespace heft::device_on_host {

class Findings {
 public:
  /// `what` happened at `site`: the first time it is printed to stderr, with the thread and `where`
  /// in memory.
  void add(const std::string& what, const Site& site, const Thread& thread,
           const std::string& where = "");
  /// Of no thread: a copy, a free.
  void add(const std::string& what);

  bool empty() const { return texts_.empty(); }
  /// All so far, which are forgotten then.
  std::vector<std::string> take();
  /// Whether they are printed; true to begin with.
  void print(bool prints) { prints_ = prints; }
  /// `react` is called when there is a first one.
  void at_first(std::function<void()> react) { react_ = std::move(react); }

 private:
  void keep(const std::string& text);

  std::map<std::string, std::uint64_t> times_;  ///< by kind and place
  std::vector<std::string> texts_;
  bool prints_ = true;
  std::function<void()> react_;
};

/// Of this process, as there is one device.
Findings& findings();

}  // namespace heft::device_on_host
