// A long call of the library from Python: releases the interpreter's lock, stops on Ctrl-C, and
// reports progress to a callback.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "errors.hpp"
#include "heft/base/result.hpp"
#include "module.hpp"

namespace heft::python {

class LongCall {
 public:
  /// `listener(stage, fraction)`, or None; returning False ends the call with Stopped.
  explicit LongCall(nb::object listener) : listener_(std::move(listener)) {}
  LongCall(const LongCall&) = delete;
  LongCall& operator=(const LongCall&) = delete;

  /// Returns the unwrapped Result of `task(progress)`, which runs without the interpreter's lock.
  /// An exception of a signal handler (KeyboardInterrupt) or of the listener ends the task and is
  /// rethrown.
  template <class Task>
  auto run(const Task& task) {
    auto result = [&] {
      const nb::gil_scoped_release released;
      return task(
          Progress([this](const std::string& stage, double done) { return goes_on(stage, done); }));
    }();
    if (exception_) throw *std::exchange(exception_, std::nullopt);
    return unwrap(std::move(result));
  }

  /// For loops in the bindings: returns false if the call must end. Acquires the lock itself, at
  /// most twenty times per second.
  bool goes_on(const std::string& stage, double fraction) {
    const auto now = std::chrono::steady_clock::now();
    if (has_ended_ || (has_begun_ && now - last_ < std::chrono::milliseconds(50)))
      return !has_ended_;
    has_begun_ = true;
    last_ = now;
    const nb::gil_scoped_acquire acquired;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      has_ended_ = !listener_.is_none() && listener_(stage, fraction).is(nb::handle(Py_False));
    } catch (nb::python_error& error) {
      exception_.emplace(std::move(error));
      has_ended_ = true;
    }
    return !has_ended_;
  }

 private:
  nb::object listener_;
  std::optional<nb::python_error> exception_;
  std::chrono::steady_clock::time_point last_;
  bool has_begun_ = false, has_ended_ = false;
};

}  // namespace heft::python
