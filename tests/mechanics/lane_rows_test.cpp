// The rows are templates of the scalar: two states side by side in a pack give what each gives alone.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heft/core/scalar.hpp"

namespace heft::testing {

/// Two numbers; the least that core/mechanics_rows.hpp asks of a pack.
struct Pair {
  double a, b;
  Pair() : a(std::numeric_limits<double>::quiet_NaN()), b(a) {}
  explicit Pair(double x) : a(x), b(x) {}
  Pair(double first, double second) : a(first), b(second) {}
};
inline Pair operator+(const Pair& x, const Pair& y) {
  return {x.a + y.a, x.b + y.b};
}
inline Pair operator-(const Pair& x, const Pair& y) {
  return {x.a - y.a, x.b - y.b};
}
inline Pair operator*(const Pair& x, const Pair& y) {
  return {x.a * y.a, x.b * y.b};
}
inline Pair operator-(const Pair& x) {
  return {-x.a, -x.b};
}
inline void sin_cos(const Pair& x, Pair& sine, Pair& cosine) {
  sine = {std::sin(x.a), std::sin(x.b)}, cosine = {std::cos(x.a), std::cos(x.b)};
}
inline Pair fused_multiply_add(const Pair& x, const Pair& y, const Pair& z) {
  return {std::fma(x.a, y.a, z.a), std::fma(x.b, y.b, z.b)};
}

}  // namespace heft::testing

#include "heft/core/mechanics_rows.hpp"
#include "states.hpp"
#include "tests/oracle/compare.hpp"

namespace heft {
namespace {

using testing::Pair;

struct PairInput {
  const testing::State &first, &second;
  Pair position(int k) const { return {first.q[k], second.q[k]}; }
  Pair velocity(int k) const { return {first.qd[k], second.qd[k]}; }
  Pair acceleration(int k) const { return {first.qdd[k], second.qdd[k]}; }
};

struct PairSink {
  const ParameterLayout& layout;
  Eigen::MatrixXd rows[2];
  void channel_row(int channel, int body, const Pair* row) {
    for (int i = 0; i < layout.num_bodies(); ++i)
      if (layout.body_index[i] == body)
        for (int k = 0; k < 10; ++k)
          rows[0](channel, 10 * i + k) = row[k].a, rows[1](channel, 10 * i + k) = row[k].b;
  }
  void body_row(int body, const Pair* row) { channel_row(0, body, row); }
};

TEST(Mechanics, PacksOfStates) {
  oracle::Random random(9);
  for (int seed = 0; seed < 20; ++seed) {
    const Robot robot = oracle::random_robot(oracle::RandomRobotOptions::everything(false), 500 + seed);
    const Mechanics mechanics = *Mechanics::make(robot);
    const testing::State states[2] = {testing::random_state(robot, random),
                                      testing::random_state(robot, random)};
    const RegressorPlan& plan = mechanics.plan();
    std::vector<double> axes;
    for (const KernelFrame& frame : plan.kernel_frames)
      for (int i = 0; i < 9; ++i) axes.push_back(frame.in_body.linear()(i / 3, i % 3));
    const core::MechanicsTree tree{plan.view(), axes.data()};
    for (const auto& kind : EnumNames<MechanicsRow>::kList) {
      std::vector<Pair> memory(static_cast<std::size_t>(core::mechanics_workspace_size(tree.tree)));
      const auto workspace = [&](std::ptrdiff_t i) -> Pair& { return memory[static_cast<std::size_t>(i)]; };
      const int height = mechanics.num_rows(kind.value), width = mechanics.num_parameters();
      PairSink sink{plan.layout,
                    {Eigen::MatrixXd::Zero(height, width), Eigen::MatrixXd::Zero(height, width)}};
      const PairInput in{states[0], states[1]};
      const Pair zero(0.0), one(1.0);
      core::BodyState<Pair> base{{one, zero, zero, zero, one, zero, zero, zero, one},
                                 {zero, zero, zero},
                                 {zero, zero, zero},
                                 {zero, zero, zero},
                                 {zero, zero, zero},
                                 {},
                                 {}};
      const Eigen::Vector3d g = robot.gravity;
      base.g = {Pair(g.x()), Pair(g.y()), Pair(g.z())};
      base.a = {Pair(-g.x()), Pair(-g.y()), Pair(-g.z())};
      core::MechanicsRows<Pair, PairInput, decltype(workspace), PairSink>(tree, kind.value, in, workspace,
                                                                          sink)
          .put(base);
      for (int i = 0; i < 2; ++i) {
        const Eigen::MatrixXd alone = *mechanics.rows(kind.value, states[i].all());
        EXPECT_LE(oracle::largest_difference(sink.rows[i], alone), 1e-14 * oracle::largest_entry(alone))
            << kind.name;
      }
    }
  }
}

}  // namespace
}  // namespace heft
