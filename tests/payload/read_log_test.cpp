// From files to samples: the options for frame and sign, and rejected input.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "heft/log/several_files.hpp"
#include "heft/payload/payload.hpp"
#include "heft/payload/samples.hpp"
#include "heft/robot/robot_document.hpp"
#include "host/applications/payload/results/controller_files.hpp"
#include "linalg/rotation_between.hpp"
#include "payload_config/payload_options.hpp"
#include "tests/payload/tool.hpp"

namespace heft {
namespace {

using namespace payload_test;

class WrenchLog : public ::testing::Test {
 protected:
  static constexpr const char* kHeader =
      "t,wx,wy,wz,alx,aly,alz,ax,ay,az,gx,gy,gz,fx,fy,fz,nx,ny,nz";

  void write(const std::string& text) { std::ofstream(path_) << text; }

  void write(const Record& record) {
    std::ofstream file(path_);
    file.precision(17);
    file << kHeader << "\n";
    for (Eigen::Index i = 0; i < record.time.size(); ++i) {
      file << record.time[i];
      for (const Eigen::ArrayXXd* columns :
           {&record.w, &record.wd, &record.a, &record.g, &record.wrench})
        for (Eigen::Index k = 0; k < columns->cols(); ++k) file << ',' << (*columns)(i, k);
      file << "\n";
    }
  }

  void expect_refused(const std::string& words, const SensorOptions& options = {}) {
    const auto samples = read_wrench_log(path_, options, about_);
    ASSERT_FALSE(samples.ok());
    EXPECT_NE(samples.error().message().find(words), std::string::npos)
        << samples.error().message();
    EXPECT_FALSE(samples.error().remedy.empty());
  }

  const std::string path_ =
      ::testing::UnitTest::GetInstance()->current_test_info()->name() + std::string(".csv");
  PayloadLog about_;
};

TEST_F(WrenchLog, IsReadAsItIs) {
  const Record record = shaken(2);
  write(record);
  const auto samples = read_wrench_log(path_, {}, about_);
  ASSERT_TRUE(samples.ok()) << samples.error().message();
  EXPECT_LE((payload_wrench(*samples, truth_of()) - record.wrench).abs().maxCoeff(), 1e-12);
  EXPECT_EQ(about_.num_rows, 200);
  EXPECT_NEAR(about_.rate_hz, 100, 1e-6);
  EXPECT_EQ(about_.sha256.size(), 64u);
}

TEST_F(WrenchLog, SignAndMountingAreUndone) {
  // the flange's motion, of a sensor at p, turned by R: all by the point masses in the sensor's
  // frame
  const Eigen::Isometry3d mounting = *pose_of({0.03, -0.1, 0.2, 0.3, -0.5, 0.7}, "");
  const Eigen::Matrix3d R = mounting.linear();
  const Eigen::Vector3d p = mounting.translation();
  Record record = shaken(2);
  for (Eigen::Index i = 0; i < record.time.size(); ++i) {
    const auto turned = [&](Eigen::ArrayXXd& columns) {
      const Eigen::Vector3d v = R * columns.row(i).matrix().transpose();
      columns.row(i) = v.transpose();
      return v;
    };
    const Eigen::Vector3d w = turned(record.w), wd = turned(record.wd);
    turned(record.g);
    const Eigen::Vector3d a = turned(record.a) - wd.cross(p) - w.cross(w.cross(p));
    record.a.row(i) = a.transpose();
  }
  const Eigen::ArrayXXd wrench = record.wrench;
  record.wrench = -record.wrench;
  write(record);
  const auto samples = read_wrench_log(path_, {.sign = -1, .mounting = mounting}, about_);
  ASSERT_TRUE(samples.ok()) << samples.error().message();
  EXPECT_LE((payload_wrench(*samples, truth_of()) - wrench).abs().maxCoeff(),
            1e-12 * wrench.abs().maxCoeff());
  EXPECT_TRUE(about_.doubts.empty());
}

TEST_F(WrenchLog, MissingNumbersDropTheirRows) {
  Record record = shaken(2);
  record.wrench(50, 3) = std::nan("");
  record.a(51, 0) = std::nan("");
  write(record);
  const auto samples = read_wrench_log(path_, {}, about_);
  ASSERT_TRUE(samples.ok()) << samples.error().message();
  EXPECT_EQ(samples->size(), 198);
  EXPECT_EQ(about_.num_dropped, 2);
}

TEST_F(WrenchLog, PosesAreReadFromOrientations) {
  // the sensor's z axis points up, then to the world's x, then down
  write(
      "t,r11,r12,r13,r21,r22,r23,r31,r32,r33,fx,fy,fz,nx,ny,nz\n"
      "0,1,0,0,0,1,0,0,0,1,0,0,9.81,0,0,0\n"
      "1,0,0,1,0,1,0,-1,0,0,-9.81,0,0,0,0,0\n"
      "2,1,0,0,0,-1,0,0,0,-1,0,0,-9.81,0,0,0\n");
  const auto samples = read_wrench_log(path_, {}, about_);
  ASSERT_TRUE(samples.ok()) << samples.error().message();
  EXPECT_FALSE(samples->moves);
  EXPECT_LE((samples->motion.leftCols(3) - samples->wrench.leftCols(3)).abs().maxCoeff(),
            1e-12);  // 1 kg
}

/// Every column of a record but those of `seldom` in every row, these in every third one;
/// orientations where the record has gravity.
std::string at_two_rates(const Record& record, const std::string& seldom) {
  std::ostringstream text;
  text.precision(12);
  text << "t,wx,wy,wz,alx,aly,alz,ax,ay,az,r11,r12,r13,r21,r22,r23,r31,r32,r33,fx,fy,fz,nx,ny,nz\n";
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();  // sensor to world; the world turns with it
                                                    // about its vertical
  for (Eigen::Index i = 0; i < record.time.size(); ++i) {
    text << record.time[i];
    const auto put = [&](bool is_there, const auto& numbers) {
      for (const double number : numbers.reshaped())
        is_there ? text << ',' << number : text << ",nan";
    };
    const bool is_seldom = i % 3 == 0;
    for (const Eigen::ArrayXXd* columns : {&record.w, &record.wd, &record.a})
      put(is_seldom || seldom != "motion", Eigen::ArrayXd(columns->row(i).transpose()));
    const Eigen::Vector3d down = R * record.g.row(i).matrix().transpose();
    R = (rotation_between(down, -Eigen::Vector3d::UnitZ()) * R).eval();
    put(is_seldom || seldom != "motion", Eigen::MatrixXd(R.transpose()));
    put(is_seldom || seldom != "wrench", Eigen::ArrayXd(record.wrench.row(i).transpose()));
    text << "\n";
  }
  return text.str();
}

// Between two rows of 33 Hz numbers are taken to lie on a line, from which a motion of 3 rad/s is
// off by 1e-3.
TEST_F(WrenchLog, MotionAndWrenchMayHaveRatesOfTheirOwn) {
  const Record record = shaken(4);
  for (const std::string seldom : {"motion", "wrench"}) {
    write(at_two_rates(record, seldom));
    const auto samples = read_wrench_log(path_, {}, about_);
    ASSERT_TRUE(samples.ok()) << samples.error().message();
    EXPECT_GE(samples->size(), record.time.size() - 3) << seldom;
    EXPECT_LE((payload_wrench(*samples, truth_of()) - samples->wrench).abs().maxCoeff(),
              5e-3 * record.wrench.abs().maxCoeff())
        << seldom;
    // gravity of orientations between two rows is as long as it was
    EXPECT_LE((samples->gravity.square().rowwise().sum().sqrt() - 9.81).abs().maxCoeff(), 1e-9)
        << seldom;
    const auto result = weigh_payload(*samples, {}, *read_payload_shape({}));
    ASSERT_TRUE(result.ok()) << result.error().message();
    EXPECT_NEAR(result->answer().parameters[0] / truth_of()[0], 1, 2e-3) << seldom;
  }
}

// The wrench is of a driver of its own: half as fast as the motion, from another moment on, and 20
// ms late.
TEST_F(WrenchLog, MotionAndWrenchMayBeFilesOfTheirOwn) {
  const Record record = with_noise(shaken(6), 3);
  const std::string wrench_path = "wrench_" + path_;
  std::ofstream motion(path_), wrench(wrench_path);
  motion.precision(17), wrench.precision(17);
  motion << "t,wx,wy,wz,alx,aly,alz,ax,ay,az,gx,gy,gz\n";
  wrench << "t,fx,fy,fz,nx,ny,nz\n";
  for (Eigen::Index i = 0; i < record.time.size(); ++i) {
    motion << record.time[i];
    for (const Eigen::ArrayXXd* columns : {&record.w, &record.wd, &record.a, &record.g})
      for (Eigen::Index k = 0; k < 3; ++k) motion << ',' << (*columns)(i, k);
    motion << "\n";
    if (i < 31 || i % 2 == 0) continue;
    wrench << record.time[i] + 0.02;
    for (Eigen::Index k = 0; k < 6; ++k) wrench << ',' << record.wrench(i, k);
    wrench << "\n";
  }
  motion.close(), wrench.close();
  PayloadRequest request{.logs = {log_of_files(path_ + "+" + wrench_path)},
                         .shape = *read_payload_shape({})};
  request.options.sensor.finds_delay = true;
  const auto result = weigh_logs(request);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_NEAR(result->logs.front().wrench_delay_s, 0.02, 2e-3);
  EXPECT_NEAR(result->answer().parameters[0] / truth_of()[0], 1, 3e-3);
  EXPECT_LE(result->mass.low, truth_of()[0]);
  EXPECT_GE(result->mass.high, truth_of()[0]);
}

TEST_F(WrenchLog, AWrenchInTheBaseFrameIsTurned) {
  write(
      "r11,r12,r13,r21,r22,r23,r31,r32,r33,fx,fy,fz,nx,ny,nz\n"
      "0,0,1,0,1,0,-1,0,0,0,0,9.81,1,0,0\n");
  const auto samples = read_wrench_log(path_, {.wrench_frame = WrenchFrame::base}, about_);
  ASSERT_TRUE(samples.ok()) << samples.error().message();
  EXPECT_LE((samples->motion.leftCols(3) - samples->wrench.leftCols(3)).abs().maxCoeff(), 1e-12);
  EXPECT_NEAR(samples->wrench(0, 5), 1, 1e-12);  // world x is the sensor's z
}

TEST_F(WrenchLog, MissingColumnIsNamedWithItsNeighbor) {
  write(
      "t,wx,wy,wz,alx,aly,alz,ax,ay,az,gx,gy,gz,fx,fy,fzz,nx,ny,nz\n0,0,0,0,0,0,0,0,0,0,0,0,9.81,1,1,1,1,1,"
      "1\n");
  expect_refused("'fz'");
}

TEST_F(WrenchLog, NeedsToKnowWhereDownIs) {
  write("t,wx,wy,wz,alx,aly,alz,ax,ay,az,fx,fy,fz,nx,ny,nz\n0,0,0,0,0,0,0,0,0,0,1,2,3,4,5,6\n");
  expect_refused("which direction is down");
  write("fx,fy,fz,nx,ny,nz\n1,2,3,4,5,6\n");
  expect_refused("too few poses without orientations");
}

TEST_F(WrenchLog, BaseFrameNeedsOrientations) {
  write("gx,gy,gz,fx,fy,fz,nx,ny,nz\n0,0,-9.81,1,2,3,4,5,6\n");
  expect_refused("orientation", {.wrench_frame = WrenchFrame::base});
}

TEST_F(WrenchLog, NoRotation) {
  write("r11,r12,r13,r21,r22,r23,r31,r32,r33,fx,fy,fz,nx,ny,nz\n1,0,0,0,1,0,0,0,-1,1,2,3,4,5,6\n");
  expect_refused("not a rotation");
}

TEST_F(WrenchLog, TimeThatGoesBack) {
  Record record = shaken(1);
  record.time[50] = 0.1;
  write(record);
  expect_refused(".csv:52: time decreases");
}

TEST_F(WrenchLog, NothingButMissingNumbers) {
  write("gx,gy,gz,fx,fy,fz,nx,ny,nz\nnan,0,-9.81,1,2,3,4,5,6\n");
  expect_refused("no complete row");
}

/// A known tool whose covariance begins with a, b in its first row and d, c in its second.
std::string known_tool_with(double a, double b, double d, double c) {
  Eigen::Matrix<double, 10, 10> covariance = Eigen::Matrix<double, 10, 10>::Identity();
  covariance(0, 0) = a, covariance(0, 1) = b, covariance(1, 0) = d, covariance(1, 1) = c;
  std::ostringstream text;
  text << "payload:\n  known_tool: {bias: [1, 2, 3, 4, 5, 6], covariance: [" << covariance(0);
  for (Eigen::Index k = 1; k < covariance.size(); ++k) text << ", " << covariance(k);
  text << "]}\n";
  return text.str();
}

TEST_F(WrenchLog, AChannelThatStandsAtItsLimitIsDoubtedBesideAKnownTool) {
  Record record = with_noise(shaken(4), 1);
  record.wrench.col(0) = record.wrench.col(0).max(0.6 * record.wrench.col(0).minCoeff());
  write(record);
  for (const bool has_tool : {false, true}) {
    PayloadRequest request{.logs = {Log(path_)}, .shape = *read_payload_shape({})};
    if (has_tool) request.options.sensor.tool = KnownTool{.parameters = 0.5 * truth_of()};
    const auto result = weigh_logs(request);
    ASSERT_TRUE(result.ok()) << result.error().message();
    int told = 0;
    for (const PayloadDoubt& doubt : result->doubts)
      if (doubt.id == "channel-clipped") {
        ++told;
        EXPECT_NE(doubt.what.find("fx stays at "), std::string::npos) << doubt.what;
        EXPECT_EQ(doubt.log, path_);
      }
    EXPECT_EQ(told, 1) << has_tool;
  }
}

TEST(ZeroYaml, KeepsTheDescriptionOfTheSensor) {
  PayloadResult calibrated;
  SensorOptions& sensor = calibrated.options.sensor;
  sensor.sign = -1, sensor.wrench_frame = WrenchFrame::base, sensor.gravity = 9.7803;
  sensor.down = Eigen::Vector3d(0, -0.6, 0.8), sensor.wrench_delay_s = 0.004;
  sensor.mounting = *pose_of({0.1, -0.2, 0.3, 0.4, 0.5, 0.6}, "");
  calibrated.as_tool = KnownTool{.parameters = truth_of(), .has_bias = true};
  calibrated.as_tool->bias << 1, 2, 3, 4, 5, 6;
  calibrated.as_tool->covariance.diagonal().setConstant(1e-4);
  const auto text = payload::zero_text(calibrated);
  ASSERT_TRUE(text.ok()) << text.error().message();
  const auto read = payload_options_from_yaml(*text, "zero.yaml");
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->sensor.sign, sensor.sign);
  EXPECT_EQ(read->sensor.wrench_frame, sensor.wrench_frame);
  EXPECT_EQ(read->sensor.gravity, sensor.gravity);
  EXPECT_LE((read->sensor.down - sensor.down).norm(), 1e-15);
  EXPECT_EQ(read->sensor.wrench_delay_s, sensor.wrench_delay_s);
  EXPECT_TRUE(read->sensor.mounting.isApprox(sensor.mounting, 1e-12));
  EXPECT_EQ(read->sensor.tool->parameters, calibrated.as_tool->parameters);
  EXPECT_EQ(read->sensor.tool->bias, calibrated.as_tool->bias);
  EXPECT_EQ(read->sensor.tool->covariance, calibrated.as_tool->covariance);
  // gravity that was not given stays the robot's
  sensor.gravity.reset();
  EXPECT_FALSE(
      payload_options_from_yaml(*payload::zero_text(calibrated), "zero.yaml")->sensor.gravity);
}

SensorOnLink on_a_pendulum() {
  return {.robot = *read_robot_text("pendulum.urdf", R"(<robot name="pendulum"><link name="base"/>
      <link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
        <limit lower="-3" upper="3" effort="1" velocity="1"/></joint></robot>)",
                                    "", {.gravity = {0, 0, -9.80665}}),
          .link = "arm"};
}

TEST_F(WrenchLog, AChannelThatStandsAtItsLimitIsDoubtedOnARobotWhoseLogsAreFiltered) {
  std::ostringstream text;
  text << "t,q_hinge,fx,fy,fz,nx,ny,nz\n";
  text.precision(17);
  for (int i = 0; i < 1000; ++i) {
    const double t = 0.005 * i;
    text << t << ',' << std::sin(3 * t) << ',' << std::min(2.0, 3 * std::sin(3 * t)) << ','
         << std::cos(4 * t) << ',' << std::sin(5 * t) << ",0.1," << std::cos(2 * t) << ','
         << std::sin(t) << "\n";
  }
  write(text.str());
  const auto samples = read_wrench_log(Log(path_), on_a_pendulum(), {}, about_);
  ASSERT_TRUE(samples.ok()) << samples.error().message();
  ASSERT_EQ(about_.doubts.size(), 2u);
  EXPECT_EQ(about_.doubts[0].id, "channel-clipped");
  EXPECT_NE(about_.doubts[0].what.find("fx stays at 2 "), std::string::npos)
      << about_.doubts[0].what;
  EXPECT_EQ(about_.doubts[1].id, "channel-dead");
  EXPECT_NE(about_.doubts[1].what.find("nx"), std::string::npos) << about_.doubts[1].what;
}

TEST_F(WrenchLog, AppliesTheGivenGravityToMotionAndRest) {
  const SensorOnLink on_link = on_a_pendulum();
  std::ostringstream text;
  text << "t,q_hinge,fx,fy,fz,nx,ny,nz\n";
  text.precision(17);
  for (int i = 0; i < 400; ++i)
    text << 0.01 * i << ',' << 0.4 + 1e-9 * std::sin(0.02 * i) << ",1,2,3,4,5,"
         << 6 + 0.01 * (i % 7) << "\n";
  write(text.str());
  for (const auto& [given, size] :
       {std::pair<std::optional<double>, double>{{}, 9.80665}, {9.81, 9.81}, {3.72, 3.72}}) {
    const auto samples = read_wrench_log(Log(path_), on_link, {.gravity = given}, about_);
    ASSERT_TRUE(samples.ok()) << samples.error().message();
    ASSERT_EQ(samples->gravity.rows(), samples->size());
    for (Eigen::Index i = 0; i < samples->size(); i += 50) {
      EXPECT_NEAR(samples->gravity.row(i).matrix().norm(), size, 1e-12);
      // nothing moves: a - g of the rows is that gravity
      EXPECT_LE((samples->motion.row(i).head<3>() + samples->gravity.row(i)).matrix().norm(), 1e-5);
    }
  }
}

TEST(PayloadOptionsFile, IsReadAndRefusedByLine) {
  const auto read = [](const std::string& text) {
    std::ofstream("payload_options.yaml") << text;
    return read_payload_options("payload_options.yaml");
  };
  const auto options = read(
      "payload:\n  sign: -1\n  bias: per_segment\n  mounting: [0, 0, 0.1, 0, 0, 1.57]\n"
      "  prior: {box: [0.1, 0.2, 0.3]}\n  prior_weight: 0.5\n  known_mass: 2\n");
  ASSERT_TRUE(options.ok()) << options.error().message();
  EXPECT_EQ(options->sensor.sign, -1);
  EXPECT_EQ(options->bias, BiasKind::per_segment);
  EXPECT_EQ(options->sensor.mounting.translation().z(), 0.1);
  EXPECT_EQ(options->prior.primitive->size.y(), 0.2);
  EXPECT_EQ(options->metric_weight, 0.5);
  EXPECT_FALSE(options->gamma);
  EXPECT_EQ(options->limits.known_mass, 2);
  const auto known = read(
      "payload:\n  known_tool: {bias: [1, 2, 3, 4, 5, 6]}\n  changes: [1, 2.5]\n  wrench_delay_s: auto\n"
      "  density: [500, 8000]\n  com_region: [-1, 1, -2, 2, 0, 3]\n  prior: {parts: {a.stl: 700, b.stl: "
      "auto, c.obj#steel: 7000 to 8000}}\n");
  ASSERT_TRUE(known.ok()) << known.error().message();
  EXPECT_EQ(known->bias, BiasKind::none);
  EXPECT_EQ(known->sensor.tool->bias[3], 4);
  EXPECT_EQ(known->changes, (std::vector<double>{1, 2.5}));
  EXPECT_TRUE(known->sensor.finds_delay);
  EXPECT_EQ(known->limits.largest_density, 8000);
  EXPECT_EQ(known->limits.com_region->max().y(), 2);
  ASSERT_EQ(known->prior.parts.size(), 3u);
  EXPECT_TRUE(known->prior.parts[0].is_known());
  EXPECT_EQ(known->prior.parts[0].least_density, 700);
  EXPECT_EQ(known->prior.parts[1].least_density, 0);
  EXPECT_TRUE(std::isinf(known->prior.parts[1].largest_density));
  EXPECT_TRUE(known->prior.parts[2].mesh.ends_with("c.obj#steel"));
  EXPECT_EQ(known->prior.parts[2].least_density, 7000);
  EXPECT_EQ(known->prior.parts[2].largest_density, 8000);
  EXPECT_EQ(read("payload: {bias: constant, known_tool: {bias: [1, 2, 3, 4, 5, 6]}}\n")->bias,
            BiasKind::constant);
  EXPECT_TRUE(read("payload: {changes: auto}\n")->finds_changes);
  EXPECT_EQ(read("estimation: {torque_scale_sd: 0.1}\n")->torque_scale_sd, 0.1);
  EXPECT_FALSE(read("estimation: {torque_scale_sd: auto}\n")->torque_scale_sd);
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"payload:\n  known_tool: {bias: [1]}\n", "must be 6 numbers"},
           {"payload:\n  known_tool: {link: flange}\n", "neither parameters nor bias"},
           {"payload:\n  known_tool: {bias: [1, 2, 3, 4, 5, .nan]}\n", "cannot read '.nan'"},
           {known_tool_with(1, 0, 0, -1), "payload.known_tool.covariance"},
           {known_tool_with(1, 0.5, 0, 1), "payload.known_tool.covariance"},
           {known_tool_with(1, 1.1, 1.1, 1), "payload.known_tool.covariance"},
           {known_tool_with(0, 5, 5, 1), "payload.known_tool.covariance"},
           {"payload:\n  density: [-5, 100]\n", "two numbers, the minimum"},
           {"payload:\n  density: [800, 700]\n", "two numbers, the minimum"},
           {"payload:\n  changes: [soon]\n", "'soon' is not a time"},
           {"payload:\n  prior: {parts: {a.stl: heavy}}\n", "not a density of a.stl"},
           {"payload:\n  prior: {parts: {a.stl: 800 to 700}}\n", "not a density of a.stl"},
           {"payload:\n  prior: {parts: {a.stl: 0}}\n", "not a density of a.stl"},
           {"payload:\n  sing: 1\n", "yaml:2: unknown option 'sing'"},
           {"payload:\n  sign: 2\n", "must be 1 or -1"},
           {"payload:\n  mounting: [1, 2]\n", "must be 6 numbers"},
           {"payload:\n  prior:\n    bx: [1, 1, 1]\n", "yaml:3: unknown option 'bx'"},
           {"payload:\n  known_mass: -1\n", "must not be negative"},
           {"payload: 3\n", "must be a mapping"},
           {"payload: [\n", "not valid YAML"},
           {"estimation:\n  prior: none\n", "yaml:2: unknown option 'prior'"},
           {"estimation:\n  torque_scale_sd: 2\n", "must be between 0 and 1"},
           {"conditioning:\n  trim: 3\n", "unknown option 'conditioning'"}}) {
    const auto refused = read(text);
    ASSERT_FALSE(refused.ok()) << text;
    EXPECT_NE(refused.error().message().find(words), std::string::npos)
        << refused.error().message();
  }
}

}  // namespace
}  // namespace heft
