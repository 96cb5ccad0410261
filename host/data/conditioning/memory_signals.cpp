#include "memory_signals.hpp"

namespace heft {

MemorySignals::MemorySignals(const std::map<int, MemorySignal>& signals,
                             const std::vector<MemoryCall>& calls)
    : num_columns_(signals.size()) {
  for (const auto& [column, signal] : signals)
    signals_.push_back({column, signal.coordinate, signal.make()});
  for (const MemoryCall& call : calls) signals_.push_back({-1, -1, make_memory_function(call)});
}

Result<Done> MemorySignals::advance(const Samples& motion, const InputOfCall& input_of,
                                    Eigen::Index begin, Eigen::Index end, Eigen::Index next_first,
                                    double period_s) {
  const Eigen::Index num_rows = motion.position.rows();
  values_.setZero(num_rows, static_cast<Eigen::Index>(signals_.size()));
  // near its front a window lacks later rows: use the previous window's values there
  if (begin > 0) values_.topRows(begin) = behind_.topRows(begin);
  const Eigen::ArrayXd rest = Eigen::ArrayXd::Zero(num_rows);
  for (std::size_t k = 0; k < signals_.size(); ++k) {
    Signal& signal = signals_[k];
    Eigen::ArrayXd input;
    if (k >= num_columns_) {
      HEFT_TRY(of_call,
               input_of(static_cast<int>(k - num_columns_), values_.rightCols(num_calls())));
      input = std::move(of_call);
    }
    const auto advance_over = [&](ColumnMemory& state, const auto& position, const auto& velocity,
                                  const auto& acceleration, Eigen::Index first, Eigen::Index last) {
      for (Eigen::Index row = first; row < last; ++row)
        values_(row, static_cast<Eigen::Index>(k)) =
            state.advance(position[row], velocity[row], acceleration[row], period_s);
    };
    const auto advance_rows = [&](ColumnMemory& state, Eigen::Index first, Eigen::Index last) {
      if (signal.coordinate < 0)
        advance_over(state, input, rest, rest, first, last);
      else
        advance_over(state, motion.position.col(signal.coordinate),
                     motion.velocity.col(signal.coordinate),
                     motion.acceleration.col(signal.coordinate), first, last);
    };
    if (begin == 0) signal.state->reset();
    advance_rows(*signal.state, begin, end);
    if (end < num_rows) advance_rows(*signal.state->clone(), end, num_rows);
  }
  behind_ = values_.middleRows(next_first, end - next_first);
  return Done{};
}

}  // namespace heft
