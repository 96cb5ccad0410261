// Converts errors of the library to Python exceptions: heft_robot.HeftError with where, what and
// remedy.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>

#include "heft/base/result.hpp"

namespace heft::python {

/// Text as a Python str; bytes that are not valid UTF-8 are replaced.
nanobind::object readable(const std::string& text);

/// An exception that carries an Error through C++ frames to Python; the translator of errors.cpp
/// converts it to a HeftError.
struct Failure {
  Error error;
};

/// Returns the value, or raises a HeftError.
template <class T>
T unwrap(Result<T> result) {
  if (!result) throw Failure{result.error()};
  return std::move(result).value();
}

}  // namespace heft::python
