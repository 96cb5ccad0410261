// Signals of columns with memory, and functions with memory in expressions: their states advance
// over every uniform row of a segment, before rows are decimated, and persist between windows.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "conditioning/memory_functions.hpp"
#include "heft/base/result.hpp"
#include "heft/log/log.hpp"
#include "heft/model/samples.hpp"

namespace heft {

class MemorySignals {
 public:
  MemorySignals(const std::map<int, MemorySignal>& signals, const std::vector<MemoryCall>& calls);

  bool empty() const { return signals_.empty(); }

  /// Returns the input of a call at every row of the window, from the values of earlier calls.
  using InputOfCall =
      std::function<Result<Eigen::ArrayXd>(int call, const Eigen::ArrayXXd& values_of_calls)>;

  /// Advances over a window. The previous call has advanced over rows before `begin`; the next call
  /// repeats rows from `end` on and starts with row `next_first` of this window. A window with
  /// `begin` 0 starts a segment. Errors: those of `input_of`.
  Result<Done> advance(const Samples& motion, const InputOfCall& input_of, Eigen::Index begin,
                       Eigen::Index end, Eigen::Index next_first, double period_s);

  /// Writes the values at some rows of the window to their columns of `signal`.
  template <class Rows>
  void put(const Rows& rows, Eigen::ArrayXXd& signal) const {
    for (std::size_t k = 0; k < num_columns_; ++k)
      signal.col(signals_[k].column) = values_.col(static_cast<Eigen::Index>(k))(rows);
  }

  /// Returns the values of calls at some rows of the window, rows x calls.
  template <class Rows>
  Eigen::ArrayXXd of_calls(const Rows& rows) const {
    return values_.rightCols(num_calls())(rows, Eigen::all);
  }

 private:
  struct Signal {
    int column, coordinate;               ///< of a column with memory; -1: a call
    std::unique_ptr<ColumnMemory> state;  ///< after row end - 1
  };
  Eigen::Index num_calls() const {
    return static_cast<Eigen::Index>(signals_.size() - num_columns_);
  }

  std::vector<Signal> signals_;  ///< those of columns, then those of calls
  std::size_t num_columns_ = 0;
  Eigen::ArrayXXd values_;  ///< rows of the window x signals
  Eigen::ArrayXXd behind_;  ///< values at the rows before the start of the next window
};

}  // namespace heft
