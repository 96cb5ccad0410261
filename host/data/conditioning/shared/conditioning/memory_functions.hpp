// Functions with memory in expressions: lag(x, s), filter(x, hz), hysteresis(x, width). Their
// states start with every segment and advance at the log's full rate.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/parameter_layout.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// One call. Its value replaces the variable memory_variable(index) in the expressions around it.
struct MemoryCall {
  std::string function;
  std::string input;     ///< the expression x, without calls
  double parameter = 0;  ///< time [s], cutoff [Hz] or width, positive

  bool operator==(const MemoryCall&) const = default;
};

/// Returns the names of the functions, for messages.
std::string memory_function_names();

/// Returns the variable that stands for call `index`.
std::string memory_variable(std::size_t index);

/// Returns the expression with variables in place of calls, which it appends to `calls`, inner ones
/// first; equal calls share one. Errors: a missing argument or parenthesis, a second argument that
/// is not a positive number.
Result<std::string> without_memory_calls(const std::string& text, const std::string& where,
                                         std::vector<MemoryCall>& calls);

/// Makes the state of a call, which advances over values of its input (as `position`):
///   lag         x(t - s), interpolated linearly; before the segment its first value
///   filter      first-order low-pass, from the first value
///   hysteresis  clamp(z + change of x / width, -1, 1), from 0
std::unique_ptr<ColumnMemory> make_memory_function(const MemoryCall& call);

}  // namespace heft
#pragma GCC visibility pop
