// Computes mechanics rows from a table of states, for `heft rows`. Threads: safe to call from
// several threads on separate objects. Two calls must not write to the same file.
#pragma once

#include <cstdint>
#include <string>

#include "heft/base/result.hpp"
#include "heft/mechanics/mechanics.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Sizes of a written file.
struct RowsFile {
  std::int64_t num_states = 0;
  int num_rows = 0;        ///< per state: Mechanics::num_rows
  int num_parameters = 0;  ///< ten per body
};

/// Reads states (NPY with a two-dimensional array; or a table with the names of
/// Mechanics::state_names, CSV or HDF5) and writes a NumPy array of doubles, (states, rows,
/// parameters), in constant memory, completely or not at all. Errors name the place: a table that
/// cannot be read, a wrong number of columns, numbers that are missing or not finite, an invalid
/// quaternion, an output that cannot be written; stopped().
Result<RowsFile> write_rows(const Mechanics& mechanics, MechanicsRow kind,
                            const std::string& states, const std::string& out, int num_threads = 1,
                            const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
