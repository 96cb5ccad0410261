// Selects the backend by the name that a call gets.
#pragma once

#include <string>

#include "heft/executor/executor.hpp"

namespace heft::python {

/// Returns the backend for "auto", "cpu" or "cuda", which Python has checked.
inline BackendKind backend_kind(const std::string& word) {
  if (word == "cpu") return BackendKind::cpu;
  return word == "cuda" ? BackendKind::cuda : BackendKind::automatic;
}

}  // namespace heft::python
