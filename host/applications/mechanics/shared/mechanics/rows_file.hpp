// A table of states in, an array of rows out: what `heft rows` does.
// Threads: any number of threads may call, each with objects of its own. Two calls must not write
// to one file.
#pragma once

#include <cstdint>
#include <string>

#include "heft/base/result.hpp"
#include "heft/mechanics/mechanics.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct RowsFile {
  std::int64_t num_states = 0;
  int num_rows = 0;        ///< of a state: Mechanics::num_rows
  int num_parameters = 0;  ///< ten a body
};

/// Reads states (NPY as a plain array of two dimensions; or a table with the names of
/// Mechanics::state_names, CSV or HDF5) and writes a NumPy array of doubles, (states, rows,
/// parameters), in constant memory; it appears whole or not at all. Errors name the place: a table
/// that cannot be read, a wrong number of columns, numbers that are missing or not finite, a
/// quaternion that is none, an output that cannot be written; stopped().
Result<RowsFile> write_rows(const Mechanics& mechanics, MechanicsRow kind,
                            const std::string& states, const std::string& out, int num_threads = 1,
                            const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
