// Signals of columns with memory: their states advance over every uniform row of a segment, before
// rows are decimated, and persist between windows.
#pragma once

#include <Eigen/Core>
#include <map>
#include <memory>
#include <vector>

#include "heft/log/log.hpp"
#include "heft/model/samples.hpp"

namespace heft {

class MemorySignals {
 public:
  explicit MemorySignals(const std::map<int, MemorySignal>& signals);

  bool empty() const { return signals_.empty(); }

  /// Advances over a window. The previous call has advanced over rows before `begin`; the next call
  /// repeats rows from `end` on and starts with row `next_first` of this window. A window with
  /// `begin` 0 starts a segment.
  void advance(const Samples& motion, Eigen::Index begin, Eigen::Index end, Eigen::Index next_first,
               double period_s);

  /// Writes the values at some rows of the window to their columns of `signal`.
  template <class Rows>
  void put(const Rows& rows, Eigen::ArrayXXd& signal) const {
    for (std::size_t k = 0; k < signals_.size(); ++k)
      signal.col(signals_[k].column) = values_.col(static_cast<Eigen::Index>(k))(rows);
  }

 private:
  struct Signal {
    int column, coordinate;
    std::unique_ptr<ColumnMemory> state;  ///< after row end - 1
  };
  std::vector<Signal> signals_;
  Eigen::ArrayXXd values_;  ///< rows of the window x signals
  Eigen::ArrayXXd behind_;  ///< values at the rows before the start of the next window
};

}  // namespace heft
