// A toy robot format that is not XML: check and fix find its faults, places and terms without
// knowing it.
#include <gtest/gtest.h>

#include "heft/check/check.hpp"
#include "robot/written_robot.hpp"
#include "tests/documents/robot_test_support.hpp"

namespace heft {
namespace {

/// A rod whose second moment has the wrong sign, on a joint with a long axis. What is changed comes
/// out as a line of text.
class ToyDocument final : public RobotDocument {
 public:
  ToyDocument() : RobotDocument("rod.toy", "") {}

  Result<WrittenRobot> as_written() const override {
    WrittenRobot robot;
    robot.name = "rod";
    robot.terms.format = "toy";
    robot.terms.inertial = "inertia line";
    WrittenLink bed, rod, bare;
    bed.name = "bed", bed.where = "rod.toy:1";
    rod.name = "rod", rod.where = "rod.toy:2", rod.where_inertial = "rod.toy:3";
    rod.where_tensor = "rod.toy:4";
    rod.mass_is_written = rod.tensor_is_written = rod.has_mass = rod.has_tensor = true;
    rod.mass = 2;
    rod.tensor = Eigen::Vector3d(0.03, -0.02, 0.03).asDiagonal();
    bare.name = "bare", bare.where = "rod.toy:6", bare.where_inertial = "rod.toy:7";
    bare.tensor_is_written = true;
    WrittenJoint hinge, mount;
    hinge.name = "hinge", hinge.type = "continuous", hinge.where = "rod.toy:8";
    hinge.parent = "bed", hinge.child = "rod", hinge.axis = {0, 0, 3};
    mount.name = "mount", mount.type = "fixed", mount.where = "rod.toy:9";
    mount.parent = "rod", mount.child = "bare";
    robot.links = {bed, rod, bare};
    robot.joints = {hinge, mount};
    robot.elements = {{"bed", "rod.toy:1"}, {"rod", "rod.toy:2"}, {"bare", "rod.toy:6"}};
    robot.numbers = Error{"rod.toy:5", "not a number", "write one"};
    return robot;
  }

  Result<std::string> with_inertials(const std::vector<InertialChange>& changes) const override {
    std::string text;
    for (const InertialChange& change : changes)
      text += "link " + std::to_string(change.link) + (change.mass ? " mass" : "") +
              (change.com ? " com" : "") + (change.tensor ? " tensor" : "") + "\n";
    return text;
  }

  Result<Robot> robot(const std::string&, const RobotOptions&) const override { return not_here(); }
  std::vector<std::string> links() const override { return {"bed", "rod", "bare"}; }
  Result<std::vector<Shape>> shapes(const std::string&, ShapeUse) const override {
    return not_here();
  }
  Result<Eigen::Isometry3d> pose(const std::string&, const std::string&) const override {
    return not_here();
  }
  std::string find_mesh(const std::string&, const std::vector<std::string>&) const override {
    return "";
  }
  Result<std::string> with_identified(const Robot&, const std::vector<BodyParameters>&,
                                      const IdentifiedDynamics&) const override {
    return not_here();
  }
  std::string identified_name() const override { return "identified.toy"; }

 private:
  static Error not_here() { return {"rod.toy", "is a toy", "ask it for less"}; }
};

TEST(RobotFormat, CheckFindsFaultsOfAToy) {
  const auto report = check_robot(ToyDocument());
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->subject, "robot 'rod': 3 links, 2 joints, 2 kg");
  std::vector<std::string> found;
  for (const Finding& one : report->findings)
    found.push_back(one.where + " " + one.subject + " " + one.name);
  EXPECT_EQ(found, (std::vector<std::string>{
                       "rod.toy:5 rod not-a-number", "rod.toy:4 rod moment-negative",
                       "rod.toy:7 bare mass-missing", "rod.toy:8 hinge axis-not-unit"}));
  EXPECT_EQ(report->findings[2].what, "an inertia line without a numeric mass");
}

TEST(RobotFormat, FixWritesAToy) {
  const test::ScratchFolder folder;
  const auto repairs = fix_robot(ToyDocument(), folder.path("fixed.toy"));
  ASSERT_TRUE(repairs.ok());
  ASSERT_EQ(repairs->size(), 1U);
  EXPECT_EQ(repairs->front().link, "rod");
  EXPECT_EQ(repairs->front().where, "rod.toy:3");
  EXPECT_EQ(test::read_text(folder.path("fixed.toy")), "link 1 tensor\n");
}

}  // namespace
}  // namespace heft
