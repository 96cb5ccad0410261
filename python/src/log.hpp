// A log in Python.
#pragma once

#include "heft/log/source.hpp"

namespace heft::python {

struct PyLog {
  Log log;
  int num_joints = -1;  ///< of arrays without names; -1: columns have names
};

}  // namespace heft::python
