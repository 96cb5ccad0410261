// Rows of states written where they belong, a pack of states at a time, by the kernels of an
// instruction set.
#pragma once

#include <vector>

#include "heft/mechanics/mechanics.hpp"
#include "mechanics/kernels.hpp"
#include "model/mechanics_tables.hpp"

#pragma GCC visibility push(default)
namespace heft::mechanics {

/// Of the widest instructions that the processor has.
const Kernels& widest_kernels();

/// Whether rows go through the caches, where a reader soon finds them, or past them, which costs
/// less where there are more than caches hold.
enum class Cache { filled, passed_by };

/// What a thread needs to write rows of one kind; plan and tables live longer. The rows of a pack
/// of states are made in memory that stays in the cache, where zeros that no state changes are
/// written once, and then copied to their place.
class RowWriter {
 public:
  RowWriter(const RegressorPlan& plan, const MechanicsTables& tables, MechanicsRow kind,
            Cache cache = Cache::filled, const Kernels& kernels = widest_kernels());
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;

  /// As Mechanics::put_rows.
  Result<Done> put(const States& states, std::int64_t begin, std::int64_t count, double* rows);

 private:
  Result<Done> gather(const States& states, std::int64_t begin, int count);
  void put_base(int lane, const core::BodyState<double>& base);

  const RegressorPlan& plan_;
  const Kernels& kernels_;
  Cache cache_;
  std::ptrdiff_t size_of_state_;  // numbers of a state's rows
  std::vector<double> memory_;    // of the workspace and of what follows
  double *rows_, *base_, *coordinates_;
  RowTask task_{};
};

}  // namespace heft::mechanics
#pragma GCC visibility pop
