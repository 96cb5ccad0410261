// Writes mechanics rows of states to their destination, one pack of states at a time, with the
// kernels of an instruction set.
#pragma once

#include <vector>

#include "heft/mechanics/mechanics.hpp"
#include "mechanics/kernels.hpp"
#include "model/mechanics_tables.hpp"

#pragma GCC visibility push(default)
namespace heft::mechanics {

/// Returns the kernels with the widest instructions of the processor.
const Kernels& widest_kernels();

/// Whether rows are written through the caches, for a reader that follows soon, or bypass them,
/// which is faster if they exceed the caches.
enum class Cache { filled, passed_by };

/// Memory and tables of a thread that writes rows of one kind; plan and tables must outlive it.
/// Rows of a pack of states are computed in memory that stays in the cache, with constant zeros
/// written only once, and then copied to their destination.
class RowWriter {
 public:
  RowWriter(const RegressorPlan& plan, const MechanicsTables& tables, MechanicsRow kind,
            Cache cache = Cache::filled, const Kernels& kernels = widest_kernels());
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;

  /// Does the same as Mechanics::put_rows.
  Result<Done> put(const States& states, std::int64_t begin, std::int64_t count, double* rows);

 private:
  Result<Done> gather(const States& states, std::int64_t begin, int count);
  void put_base(int lane, const core::BodyState<double>& base);

  const RegressorPlan& plan_;
  const Kernels& kernels_;
  Cache cache_;
  std::ptrdiff_t size_of_state_;  // numbers in all rows of a state
  std::vector<double> memory_;    // the workspace and the arrays below
  double *rows_, *base_, *coordinates_;
  RowTask task_{};
};

}  // namespace heft::mechanics
#pragma GCC visibility pop
