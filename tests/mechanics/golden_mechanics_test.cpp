// Rows of energies, power and momenta compared with Pinocchio's
// (golden/payload/energy_momentum.json).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heft/mechanics/mechanics.hpp"
#include "heft/robot/robot_document.hpp"
#include "tests/oracle/compare.hpp"
#include "tests/oracle/golden.hpp"

namespace heft {
namespace {

using oracle::largest_entry;
using oracle::vector_from;

/// A row or a list of rows.
Eigen::MatrixXd rows_from(const nlohmann::json& json) {
  return json.at(0).is_array() ? oracle::matrix_from(json)
                               : Eigen::MatrixXd(vector_from(json).transpose());
}

/// Pinocchio's q as ours: joints without limits have cosine and sine there, and are in the order of
/// its joints.
Eigen::VectorXd state_of_joints(const Robot& robot, const std::vector<std::string>& joints,
                                const std::vector<int>& rows, const Eigen::VectorXd& q) {
  const int pose = robot.floating_base ? 7 : 0, base = robot.floating_base ? 6 : 0,
            n = robot.num_coordinates();
  Eigen::VectorXd ours(pose + n);
  ours.head(pose) = q.head(pose);
  Eigen::Index at = pose;
  for (int joint = base > 0; joint < static_cast<int>(joints.size()); ++joint)
    for (int k = 0; k < n; ++k) {
      if (rows[base + k] != base + joint - (base > 0)) continue;
      const Coordinate& coordinate = robot.coordinates[k];
      const bool turns_on = coordinate.is_angle && std::isinf(coordinate.upper);
      ours[pose + k] = turns_on ? std::atan2(q[at + 1], q[at]) : q[at];
      at += turns_on ? 2 : 1;
    }
  EXPECT_EQ(at, q.size());
  return ours;
}

TEST(GoldenMechanics, RowsOfThreeRobots) {
  const auto golden = oracle::golden_directory();
  if (!golden || !std::filesystem::exists(*golden / "payload" / "energy_momentum.json"))
    GTEST_SKIP() << oracle::kNoGolden;
  const nlohmann::json file = oracle::read_json(*golden / "payload" / "energy_momentum.json");
  ASSERT_EQ(file.at("robots").size(), 3u);
  for (const auto& entry : file.at("robots")) {
    const std::string name = entry.at("name");
    const auto robot =
        read_robot((*golden / "dynamics" / entry.at("urdf").get<std::string>()).string(),
                   {.floating_base = entry.at("floating").get<bool>()});
    ASSERT_TRUE(robot.ok()) << name;
    const auto mechanics = Mechanics::make(*robot);
    ASSERT_TRUE(mechanics.ok()) << name;
    // their bodies are in the order of joints; ours are named after links
    std::vector<int> columns;  // of theirs, one of each body of ours
    const auto joints = entry.at("joint_names").get<std::vector<std::string>>();
    for (const int b : mechanics->plan().layout.body_index) {
      const std::string joint =
          robot->bodies[b].joint.empty() ? joints.front() : robot->bodies[b].joint;
      const auto at = std::find(joints.begin(), joints.end(), joint);
      ASSERT_NE(at, joints.end()) << name << " " << joint;
      columns.push_back(10 * static_cast<int>(at - joints.begin()));
    }
    // and so are their velocities and channels, behind those of a base
    const int base = robot->floating_base ? 6 : 0, n = robot->num_coordinates();
    std::vector<int> rows(static_cast<std::size_t>(base + n));  // of theirs, one of each channel of
                                                                // ours
    for (int k = 0; k < base; ++k) rows[k] = k;
    for (int k = 0; k < n; ++k) {
      const auto at = std::find(joints.begin(), joints.end(), robot->coordinates[k].name);
      ASSERT_NE(at, joints.end()) << name;
      rows[base + k] = base + static_cast<int>(at - joints.begin()) - (base > 0);
    }
    for (const auto& values : entry.at("states")) {
      const Eigen::VectorXd q = state_of_joints(*robot, joints, rows, vector_from(values.at("q")));
      const Eigen::VectorXd v = vector_from(values.at("v"))(rows),
                            a = vector_from(values.at("a"))(rows);
      Eigen::VectorXd state(q.size() + v.size() + a.size());
      state << q, v, a;
      const auto expect = [&](MechanicsRow kind, const char* key) {
        Eigen::MatrixXd theirs = rows_from(values.at(key));
        if (theirs.rows() > 1) theirs = Eigen::MatrixXd(theirs(rows, Eigen::all));
        const auto ours = mechanics->rows(kind, state);
        ASSERT_TRUE(ours.ok());
        ASSERT_EQ(ours->rows(), theirs.rows()) << name << " " << key;
        ASSERT_EQ(ours->cols(), static_cast<Eigen::Index>(10 * columns.size()));
        for (std::size_t i = 0; i < columns.size(); ++i)
          EXPECT_LE(oracle::largest_difference(Eigen::MatrixXd(ours->middleCols(10 * i, 10)),
                                               theirs.middleCols(columns[i], 10)),
                    1e-11 * largest_entry(theirs))
              << name << " " << key;
      };
      expect(MechanicsRow::kinetic, "kinetic_row");
      expect(MechanicsRow::potential, "potential_row");
      expect(MechanicsRow::power, "power_row");
      expect(MechanicsRow::momentum, "momentum_rows");
      expect(MechanicsRow::coriolis_transpose, "coriolis_transpose_v_rows");
      expect(MechanicsRow::gravity, "gravity_rows");
      const Eigen::MatrixXd Y = *mechanics->rows(MechanicsRow::torque, state);
      const Eigen::VectorXd theirs = vector_from(values.at("tau"))(rows),
                            x = oracle::stacked_parameters(*robot);
      EXPECT_LE(oracle::largest_difference(Eigen::VectorXd(Y * x), theirs),
                1e-11 * oracle::term_size(Y, x))
          << name;
    }
  }
}

}  // namespace
}  // namespace heft
