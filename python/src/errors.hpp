// Converts errors of the library to Python exceptions: heft_robot.HeftError with where, what and
// remedy.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>

#include "heft/base/result.hpp"

namespace heft::python {

/// Text as a Python str; of a file in another encoding, bytes that are no UTF-8 are replaced.
nanobind::object readable(const std::string& text);

/// An Error on its way through C++ frames to Python; the translator of errors.cpp makes a HeftError
/// of it.
struct Failure {
  Error error;
};

/// The value, or a HeftError.
template <class T>
T unwrap(Result<T> result) {
  if (!result) throw Failure{result.error()};
  return std::move(result).value();
}

}  // namespace heft::python
