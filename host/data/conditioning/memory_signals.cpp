#include "memory_signals.hpp"

namespace heft {

MemorySignals::MemorySignals(const std::map<int, MemorySignal>& signals) {
  for (const auto& [column, signal] : signals)
    signals_.push_back({column, signal.coordinate, signal.make()});
}

void MemorySignals::advance(const Samples& motion, Eigen::Index begin, Eigen::Index end,
                            Eigen::Index next_first, double period_s) {
  const Eigen::Index num_rows = motion.position.rows();
  values_.resize(num_rows, static_cast<Eigen::Index>(signals_.size()));
  // near its front a window lacks later rows: use the previous window's values there
  if (begin > 0) values_.topRows(begin) = behind_.topRows(begin);
  for (std::size_t k = 0; k < signals_.size(); ++k) {
    Signal& signal = signals_[k];
    if (begin == 0) signal.state->reset();
    const auto advance_over = [&](ColumnMemory& state, Eigen::Index first, Eigen::Index last) {
      for (Eigen::Index row = first; row < last; ++row)
        values_(row, static_cast<Eigen::Index>(k)) = state.advance(
            motion.position(row, signal.coordinate), motion.velocity(row, signal.coordinate),
            motion.acceleration(row, signal.coordinate), period_s);
    };
    advance_over(*signal.state, begin, end);
    if (end < num_rows) advance_over(*signal.state->clone(), end, num_rows);
  }
  behind_ = values_.middleRows(next_first, end - next_first);
}

}  // namespace heft
