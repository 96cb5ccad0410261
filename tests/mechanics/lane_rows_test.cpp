// Rows of many states by every instruction set of this processor: they equal those of one state in
// plain numbers, at any position among others and for any layout of the arrays, and nothing else is
// written.
#include <gtest/gtest.h>

#include <limits>

#include "executor/instruction_sets.hpp"
#include "heft/core/mechanics_rows.hpp"
#include "mechanics/row_writer.hpp"
#include "states.hpp"
#include "tests/oracle/compare.hpp"

namespace heft {
namespace {

using mechanics::Cache;
using mechanics::Kernels;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<const Kernels*> available_kernels() {
  std::vector<const Kernels*> all;
  for (const InstructionSet set : available_instruction_sets()) {
#if defined(__x86_64__)
    if (set == InstructionSet::avx512) all.push_back(&mechanics::kAvx512Kernels);
    if (set == InstructionSet::avx2) all.push_back(&mechanics::kAvx2Kernels);
#endif
    if (set == InstructionSet::baseline) all.push_back(&mechanics::kBaselineKernels);
  }
  return all;
}

struct PlainInput {
  const testing::State& state;
  double position(int k) const { return state.q[k]; }
  double velocity(int k) const { return state.qd[k]; }
  double acceleration(int k) const { return state.qdd[k]; }
};

struct PlainSink {
  const std::vector<int>& first_parameter;
  RowMatrix& rows;
  void channel_row(int channel, int body, const double* row) const {
    if (first_parameter[body] < 0) return;
    for (int k = 0; k < 10; ++k) rows(channel, first_parameter[body] + k) = row[k];
  }
  void body_row(int body, const double* row) const { channel_row(0, body, row); }
};

/// The templates of core/ with double for a scalar.
RowMatrix plain_rows(const Mechanics& mechanics, MechanicsRow kind, const testing::State& state) {
  const MechanicsTables tables(mechanics.plan());
  const core::MechanicsTree tree{mechanics.plan().view(), tables.body_axes.data()};
  std::vector<double> memory(static_cast<std::size_t>(core::mechanics_workspace_size(tree.tree)),
                             kNaN);
  const auto workspace = [&](std::ptrdiff_t i) -> double& {
    return memory[static_cast<std::size_t>(i)];
  };
  RowMatrix rows = RowMatrix::Zero(mechanics.num_rows(kind), mechanics.num_parameters());
  const PlainSink sink{tables.first_parameter, rows};
  const PlainInput in{state};
  core::put_mechanics_rows(tree, kind, standing_base(mechanics.plan().robot), in, workspace, sink);
  return rows;
}

struct ManyStates {
  std::vector<testing::State> states;
  RowMatrix q, qd, qdd;    // rows as in Python
  Eigen::MatrixXd wide_q;  // the same q, columns first and every second row nan
  States by_rows, with_strides;

  ManyStates(const Robot& robot, int count, oracle::Random& random) {
    for (int i = 0; i < count; ++i) states.push_back(testing::random_state(robot, random));
    q.resize(count, states[0].q.size()), qd.resize(count, states[0].qd.size()), qdd = qd;
    wide_q.setConstant(2 * count, q.cols(), kNaN);
    for (int i = 0; i < count; ++i) {
      q.row(i) = states[i].q.transpose(), qd.row(i) = states[i].qd.transpose();
      qdd.row(i) = states[i].qdd.transpose(), wide_q.row(2 * i) = q.row(i);
    }
    by_rows = {q, qd, qdd};
    with_strides = {{wide_q.data(), count, q.cols(), 2, 2 * count}, qd, qdd};
  }
};

/// Rows of states [begin, begin + count) into poisoned memory, `shift` numbers behind a cache line;
/// nothing around them changes.
RowMatrix written(const Mechanics& mechanics, MechanicsRow kind, const States& states, int begin,
                  int count, Cache cache, const Kernels& kernels, int shift) {
  const std::ptrdiff_t size =
      static_cast<std::ptrdiff_t>(mechanics.num_rows(kind)) * mechanics.num_parameters();
  std::vector<double> memory(static_cast<std::size_t>(count * size + 64), kNaN);
  const auto misplaced = reinterpret_cast<std::uintptr_t>(memory.data()) % 64 / sizeof(double);
  double* const rows = memory.data() + (misplaced > 0 ? 8 - misplaced : 0) + 8 + shift;
  const MechanicsTables tables(mechanics.plan());
  mechanics::RowWriter writer(mechanics.plan(), tables, kind, cache, kernels);
  EXPECT_TRUE(writer.put(states, begin, count, rows).ok());
  for (const double* at = memory.data(); at < rows; ++at) EXPECT_TRUE(std::isnan(*at));
  for (const double* at = rows + count * size; at < memory.data() + memory.size(); ++at)
    EXPECT_TRUE(std::isnan(*at));
  return Eigen::Map<RowMatrix>(rows, count, size);
}

TEST(RowsInLanes, AreThoseOfPlainNumbers) {
  oracle::Random random(9);
  for (int seed = 0; seed < 12; ++seed) {
    const Robot robot =
        oracle::random_robot(oracle::RandomRobotOptions::everything(false), 500 + seed);
    const Mechanics mechanics = *Mechanics::make(robot);
    const ManyStates many(robot, 23, random);
    for (const auto& kind : EnumNames<MechanicsRow>::kList) {
      RowMatrix expected(23, mechanics.num_rows(kind.value) * mechanics.num_parameters());
      for (int i = 0; i < 23; ++i)
        expected.row(i) = plain_rows(mechanics, kind.value, many.states[i])
                              .reshaped<Eigen::RowMajor>()
                              .transpose();
      const double tolerance = 1e-14 * oracle::largest_entry(Eigen::MatrixXd(expected));
      for (const Kernels* kernels : available_kernels())
        for (const Cache cache : {Cache::filled, Cache::passed_by})
          for (const auto& [begin, count] :
               {std::pair{0, 23}, std::pair{3, 16}, std::pair{22, 1}, std::pair{5, 7}})
            for (const int shift : {0, 1}) {
              const States& states = shift == 0 ? many.by_rows : many.with_strides;
              const RowMatrix rows =
                  written(mechanics, kind.value, states, begin, count, cache, *kernels, shift);
              EXPECT_LE(
                  oracle::largest_difference(Eigen::MatrixXd(rows),
                                             Eigen::MatrixXd(expected.middleRows(begin, count))),
                  tolerance)
                  << kind.name << " " << kernels->name << " " << begin << " " << count;
            }
    }
  }
}

TEST(RowsInLanes, OfFloatingBasesAreTheSameByEveryInstructionSet) {
  oracle::Random random(10);
  const Robot robot = oracle::random_robot(oracle::RandomRobotOptions::everything(true), 600);
  const Mechanics mechanics = *Mechanics::make(robot);
  const ManyStates many(robot, 11, random);
  for (const auto& kind : EnumNames<MechanicsRow>::kList)
    for (const Kernels* kernels : available_kernels()) {
      const RowMatrix rows =
          written(mechanics, kind.value, many.by_rows, 0, 11, Cache::filled, *kernels, 0);
      for (int i = 0; i < 11; ++i) {
        const RowMatrix alone = *mechanics.rows(kind.value, many.states[i].all());
        EXPECT_LE(oracle::largest_difference(Eigen::MatrixXd(rows.row(i).reshaped<Eigen::RowMajor>(
                                                 alone.rows(), alone.cols())),
                                             Eigen::MatrixXd(alone)),
                  1e-14 * oracle::largest_entry(Eigen::MatrixXd(alone)))
            << kind.name << " " << kernels->name;
      }
    }
}

TEST(RowsInLanes, AreTheSameOnAnyNumberOfThreads) {
  oracle::Random random(11);
  const Robot robot = oracle::random_robot(oracle::RandomRobotOptions::everything(false), 77);
  const Mechanics mechanics = *Mechanics::make(robot);
  const ManyStates many(robot, 1500, random);
  const std::ptrdiff_t size =
      static_cast<std::ptrdiff_t>(mechanics.num_rows(MechanicsRow::torque)) *
      mechanics.num_parameters();
  const auto rows_on = [&](int threads) {
    std::vector<double> rows(static_cast<std::size_t>(1500 * size), kNaN);
    EXPECT_TRUE(
        mechanics.put_all_rows(MechanicsRow::torque, many.by_rows, rows.data(), threads).ok());
    return rows;
  };
  EXPECT_EQ(rows_on(1), rows_on(5));
}

TEST(RowsInLanes, NanStaysWithItsState) {
  oracle::Random random(12);
  const Robot robot = oracle::random_robot(oracle::RandomRobotOptions::everything(false), 78);
  const Mechanics mechanics = *Mechanics::make(robot);
  ManyStates many(robot, 9, random);
  const auto rows = [&] {
    return written(mechanics, MechanicsRow::torque, many.by_rows, 0, 9, Cache::filled,
                   mechanics::widest_kernels(), 0);
  };
  const RowMatrix before = rows();
  many.q.row(4).setConstant(kNaN);
  const RowMatrix after = rows();
  for (int i = 0; i < 9; ++i)
    if (i == 4)
      EXPECT_TRUE(after.row(i).array().isNaN().any());
    else
      EXPECT_EQ(after.row(i), before.row(i));
}

TEST(RowsInLanes, StopOnRequest) {
  oracle::Random random(13);
  const Robot robot = oracle::random_robot(oracle::RandomRobotOptions::everything(true), 5);
  const Mechanics mechanics = *Mechanics::make(robot);
  ManyStates many(robot, 600, random);
  std::vector<double> rows(static_cast<std::size_t>(600) *
                           mechanics.num_rows(MechanicsRow::torque) * mechanics.num_parameters());
  const auto stopped = mechanics.put_all_rows(MechanicsRow::torque, many.by_rows, rows.data(), 2,
                                              [](const std::string&, double) { return false; });
  ASSERT_FALSE(stopped.ok());
  EXPECT_TRUE(stopped.error().is_stop);
  many.q(321, 3) *= 3;
  const auto refused = mechanics.put_all_rows(MechanicsRow::torque, many.by_rows, rows.data(), 2);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().where, "state 321");
}

}  // namespace
}  // namespace heft
