// Errors of the library as exceptions of Python: heft_robot.HeftError with where, what and remedy.
#pragma once

#include <utility>

#include "heft/base/result.hpp"

namespace heft::python {

/// An Error on its way through C++ frames to Python; the translator of errors.cpp makes a HeftError of it.
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
