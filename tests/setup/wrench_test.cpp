// Known wrenches on links through a log: against the torque with which Newton and Euler move a
// body, at random trees on moving bases; biases and errors of an IMU against logs without them.
#include "heft/setup/setup.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "heft/log/arrays.hpp"
#include "heft/robot/robot_document.hpp"
#include "tests/oracle/compare.hpp"
#include "tests/oracle/newton_euler.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

using testing::HasSubstr;

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr int kRows = 3;

/// A log of states, one per second, with columns by name.
class StateLog {
 public:
  explicit StateLog(std::vector<oracle::Motion> motions) : motions_(std::move(motions)) {
    for (int k = 0; k < motions_.front().q.size(); ++k) {
      const std::string i = std::to_string(k + 1);
      add("q" + i, [&](int row) { return motions_[row].q[k]; });
      add("qd" + i, [&](int row) { return motions_[row].qd[k]; });
      add("qdd" + i, [&](int row) { return motions_[row].qdd[k]; });
    }
    for (int axis = 0; axis < 3; ++axis) {
      const std::string name(1, "xyz"[axis]);
      add("base_w" + name, [&](int row) { return motions_[row].base_angular_velocity[axis]; });
      add("base_wd" + name, [&](int row) { return motions_[row].base_angular_acceleration[axis]; });
      add("base_f" + name, [&](int row) { return motions_[row].base_specific_force[axis]; });
    }
  }

  template <class Value>
  void add(const std::string& name, const Value& value) {
    names_.push_back(name);
    for (int row = 0; row < kRows; ++row) values_.push_back(value(row));
  }

  /// The conditioned samples of a model.
  Result<Samples> read(const Model& model, const BaseSource& base = {}) const {
    const Eigen::ArrayXd time = Eigen::ArrayXd::LinSpaced(kRows, 0, kRows - 1);
    const auto num_columns = static_cast<std::int64_t>(names_.size());
    const ArrayGroup group{.time = time,
                           .columns = {{names_, {values_.data(), kRows, num_columns, 1, kRows}}}};
    ConditioningOptions options;
    options.filter = FilterKind::none;
    options.velocity = VelocitySource::logged;
    options.trim = 0;
    options.need_torque = false;
    options.base = base;
    Samples samples;
    const auto summary = condition_log(
        array_log("states", {group}),
        {model.plan->robot, model.plan->channels, LogFormat{}, options, model.derived},
        [&](int, const Samples& block) -> Result<Done> {
          samples = block;
          return Done{};
        });
    if (!summary) return summary.error();
    return samples;
  }

  const std::vector<oracle::Motion>& motions() const { return motions_; }

 private:
  std::vector<oracle::Motion> motions_;
  std::vector<std::string> names_;
  std::vector<double> values_;
};

std::vector<oracle::Motion> random_motions(const Robot& robot, oracle::Random& random) {
  std::vector<oracle::Motion> motions;
  for (int row = 0; row < kRows; ++row) motions.push_back(oracle::random_motion(robot, random));
  return motions;
}

std::vector<std::string> component_names(const std::string& stem, int count) {
  std::vector<std::string> names;
  for (int k = 0; k < count; ++k) names.push_back(stem + std::to_string(k));
  return names;
}

const std::vector<std::string> kPose = {"px", "py", "pz", "pw", "pi", "pj", "pk"};
const BaseSource kBase = {.pose = kPose, .quaternion = PoseQuaternion::wxyz};

/// Adds poses whose quaternions have the rotations.
void add_poses(StateLog& log, const std::vector<Eigen::Quaterniond>& rotations) {
  for (int k = 0; k < 3; ++k) log.add(kPose[k], [&](int row) { return 0.1 * row; });
  log.add(kPose[3], [&](int row) { return rotations[row].w(); });
  for (int k = 0; k < 3; ++k)
    log.add(kPose[4 + k], [&](int row) { return rotations[row].vec()[k]; });
}

/// What moves body b in each row, in base axes and about the body's origin.
struct MovingWrench {
  Eigen::Vector3d force, torque;
  Eigen::Matrix3d R_base_body;
  double reach;
};
std::vector<MovingWrench> moving_wrenches(const Robot& robot, const StateLog& log, int b) {
  std::vector<MovingWrench> wrenches;
  for (const oracle::Motion& motion : log.motions()) {
    const auto body = oracle::body_motions(robot, motion)[static_cast<std::size_t>(b)];
    const auto wrench = oracle::body_wrench(body, robot.bodies[b].prior);
    wrenches.push_back({wrench.force.cast<double>(), wrench.torque.cast<double>(),
                        body.R.cast<double>(), static_cast<double>(body.p.norm())});
  }
  return wrenches;
}

void add_wrench(StateLog& log, const std::string& stem, double sign,
                const std::vector<Eigen::Vector3d>& force,
                const std::vector<Eigen::Vector3d>& torque) {
  for (int k = 0; k < 3; ++k)
    log.add(stem + std::to_string(k), [&](int row) { return sign * force[row][k]; });
  for (int k = 0; k < 3 && !torque.empty(); ++k)
    log.add(stem + std::to_string(3 + k), [&](int row) { return sign * torque[row][k]; });
}

// The wrench that moves a body takes the body's own share out of all torques, those of the base
// included. It is given twice, in the frame's axes and, with the other sign, in the world's. A
// sphere's force and the same force with its torque about the center cancel.
TEST(Wrench, TakesItsShareOutOfTheTorques) {
  int num_compared = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Robot robot = oracle::random_robot(oracle::RandomRobotOptions::everything(true), seed);
    oracle::Random random(seed);
    StateLog log(random_motions(robot, random));
    int b = random.integer(0, robot.num_bodies() - 1);
    while (!robot.bodies[b].has_parameters || robot.bodies[b].is_rotor)
      b = (b + 1) % robot.num_bodies();
    const auto moving = moving_wrenches(robot, log, b);
    std::vector<Eigen::Quaterniond> rotations;
    std::vector<Eigen::Vector3d> force_in, torque_in, force_world, torque_world, about_center;
    for (const MovingWrench& wrench : moving) {
      rotations.emplace_back(random.rotation());
      const Eigen::Matrix3d R = rotations.back().toRotationMatrix();
      force_in.emplace_back(wrench.R_base_body.transpose() * wrench.force);
      torque_in.emplace_back(wrench.R_base_body.transpose() * wrench.torque);
      force_world.emplace_back(R * wrench.force);
      torque_world.emplace_back(R * wrench.torque);
      about_center.emplace_back(Eigen::Vector3d(0, 0, -0.3).cross(force_world.back()));
    }
    add_poses(log, rotations);
    add_wrench(log, "a", 1, force_in, torque_in);
    add_wrench(log, "b", -1, force_world, torque_world);
    add_wrench(log, "c", 1, force_world, {});
    add_wrench(log, "d", -1, force_world, about_center);
    const std::string frame = robot.bodies[b].name;
    const auto model = make_model(
        robot, {.columns = {},
                .wrenches = {{.name = "a", .frame = frame, .columns = component_names("a", 6)},
                             {.name = "b",
                              .frame = frame,
                              .columns = component_names("b", 6),
                              .expressed_in = WrenchAxes::world,
                              .sign = -1},
                             {.name = "c",
                              .frame = frame,
                              .columns = component_names("c", 3),
                              .expressed_in = WrenchAxes::world,
                              .radius = 0.3},
                             {.name = "d",
                              .frame = frame,
                              .columns = component_names("d", 6),
                              .expressed_in = WrenchAxes::world}},
                .base = kBase});
    ASSERT_TRUE(model.ok()) << model.error().message();
    const auto samples = log.read(*model, kBase);
    ASSERT_TRUE(samples.ok()) << samples.error().message();
    ASSERT_EQ(samples->known_torque.cols(), oracle::num_channels(robot));
    const auto& layout = model->plan->layout;
    const auto at = std::find(layout.body_index.begin(), layout.body_index.end(), b);
    const auto first = 10 * (at - layout.body_index.begin());
    for (int row = 0; row < kRows; ++row, ++num_compared) {
      const oracle::Motion& motion = log.motions()[row];
      const Eigen::VectorXd share =
          oracle::newton_euler_regressor(robot, motion).middleCols<10>(first) *
          robot.bodies[b].prior;
      double gain = 1;
      for (const Body& body : robot.bodies)
        gain = std::max(gain, std::abs(body.ratio) * std::max(1.0, std::abs(body.pitch)));
      const double size =
          gain * ((2 + moving[row].reach) * moving[row].force.norm() + moving[row].torque.norm());
      const double angle = 1 + gain * oracle::largest_entry(motion.q);
      EXPECT_LE(oracle::largest_difference(
                    Eigen::VectorXd(samples->known_torque.row(row).transpose().matrix()),
                    Eigen::VectorXd(-2 * share)),
                200 * kEps * angle * robot.num_bodies() * size)
          << "seed " << seed << ", " << frame;
    }
  }
  EXPECT_EQ(num_compared, 200 * kRows);
}

constexpr const char* kWalker = R"(<robot name="walker">
  <link name="trunk"><inertial><origin xyz="0.02 0 0.05"/><mass value="6"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0.01" izz="0.25"/></inertial></link>
  <link name="imu"/>
  <link name="thigh"><inertial><origin xyz="0 0.01 -0.1"/><mass value="1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.002"/></inertial></link>
  <link name="foot"/>
  <joint name="socket" type="fixed"><parent link="trunk"/><child link="imu"/>
    <origin xyz="0.1 -0.05 0.2" rpy="0.3 -0.2 1.1"/></joint>
  <joint name="hip" type="revolute"><parent link="trunk"/><child link="thigh"/><origin xyz="0 0.1 0" rpy="0.2 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="100" velocity="5"/></joint>
  <joint name="sole" type="fixed"><parent link="thigh"/><child link="foot"/><origin xyz="0.03 0 -0.25" rpy="0 0.4 0"/></joint>
</robot>)";

Robot walker() {
  return *read_robot_text("walker.urdf", kWalker, "", {.floating_base = true});
}

/// Sum of the columns times their unknowns in every channel, kRows x channels.
Eigen::ArrayXXd columns_times(const Model& model, const Samples& samples,
                              const Eigen::VectorXd& unknowns) {
  Eigen::ArrayXXd torque = Eigen::ArrayXXd::Zero(samples.size(), model.plan->num_channels());
  for (int k = 0; k < model.plan->layout.num_columns(); ++k)
    for (const ColumnTerm& term : model.plan->layout.columns[k].terms)
      torque.col(term.channel) += unknowns[k] * samples.signal.col(term.source);
  return torque;
}

// A log with biased readings and the right biases explains the same torques as one without.
TEST(Wrench, BiasesAreUnknowns) {
  const Robot robot = walker();
  oracle::Random random(3);
  const Eigen::VectorXd bias = random.normal_vector(6);
  StateLog log(random_motions(robot, random));
  std::vector<Eigen::Vector3d> force, torque, biased_force, biased_torque;
  for (int row = 0; row < kRows; ++row) {
    force.emplace_back(random.normal3());
    torque.emplace_back(random.normal3());
    biased_force.emplace_back(force.back() + bias.head<3>());
    biased_torque.emplace_back(torque.back() + bias.tail<3>());
  }
  add_wrench(log, "right", 1, force, torque);
  add_wrench(log, "biased", 1, biased_force, biased_torque);
  const auto model_of = [&](const std::string& stem, bool has_bias) {
    return *make_model(robot, {.columns = {},
                               .wrenches = {{.name = "foot",
                                             .frame = "foot",
                                             .columns = component_names(stem, 6),
                                             .sign = -1,
                                             .bias = has_bias}}});
  };
  const Model right = model_of("right", false), biased = model_of("biased", true);
  ASSERT_EQ(biased.plan->layout.num_columns(), 6);
  EXPECT_EQ(biased.plan->layout.columns[4].name, "bias foot ny");
  EXPECT_EQ(biased.plan->layout.columns[4].unit, "N m");
  const Samples with = *log.read(biased), without = *log.read(right);
  // measured = Y x + known + columns
  const Eigen::ArrayXXd explained = with.known_torque + columns_times(biased, with, bias);
  EXPECT_GT((with.known_torque - without.known_torque).abs().maxCoeff(), 0.1);
  EXPECT_LE((explained - without.known_torque).abs().maxCoeff(), 1e-14);
}

/// The readings of an IMU at a pose of the root, without errors.
oracle::Motion readings(const oracle::Motion& root, const Eigen::Isometry3d& X) {
  const Eigen::Vector3d p = X.translation(), w = root.base_angular_velocity,
                        wd = root.base_angular_acceleration;
  oracle::Motion imu = root;
  imu.base_angular_velocity = X.linear().transpose() * w;
  imu.base_angular_acceleration = X.linear().transpose() * wd;
  imu.base_specific_force =
      X.linear().transpose() * (root.base_specific_force + wd.cross(p) + w.cross(w.cross(p)));
  return imu;
}

Eigen::Isometry3d imu_pose() {
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.translation() << 0.1, -0.05, 0.2;
  X.linear() = (Eigen::AngleAxisd(1.1, Eigen::Vector3d::UnitZ()) *
                Eigen::AngleAxisd(-0.2, Eigen::Vector3d::UnitY()) *
                Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitX()))
                   .toRotationMatrix();
  return X;
}

// An IMU anywhere on the root link gives the motion of the root.
TEST(BaseOfAFloatingRobot, ComesFromAnImuAtAnyFrame) {
  const Robot robot = walker();
  oracle::Random random(1);
  const auto motions = random_motions(robot, random);
  std::vector<oracle::Motion> at_imu;
  for (const oracle::Motion& motion : motions) at_imu.push_back(readings(motion, imu_pose()));
  const BaseSource base{.frame = "imu"};
  const Model model = *make_model(robot, {.columns = {}, .base = base});
  const auto samples = StateLog(at_imu).read(model, base);
  ASSERT_TRUE(samples.ok()) << samples.error().message();
  for (int row = 0; row < kRows; ++row)
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(samples->base_motion(row, k), motions[row].base_angular_velocity[k], 1e-14);
      EXPECT_NEAR(samples->base_motion(row, 3 + k), motions[row].base_angular_acceleration[k],
                  1e-14);
      EXPECT_NEAR(samples->base_motion(row, 6 + k), motions[row].base_specific_force[k], 1e-13);
    }
}

// Small errors of an IMU are columns: with the right unknowns, the rows of its readings explain the
// torques of the true motion up to their squares.
TEST(BaseOfAFloatingRobot, HasErrorsOfItsImuAsUnknowns) {
  const Robot robot = walker();
  oracle::Random random(2);
  const auto motions = random_motions(robot, random);
  Eigen::VectorXd unknowns = 1e-4 * random.normal_vector(9);
  std::vector<oracle::Motion> read;
  for (const oracle::Motion& motion : motions) {
    oracle::Motion imu = readings(motion, imu_pose());
    const Eigen::Vector3d turn = unknowns.tail<3>();
    // turned by the inverse rotation, then biased
    for (Eigen::Vector3d* v :
         {&imu.base_angular_velocity, &imu.base_angular_acceleration, &imu.base_specific_force})
      *v -= turn.cross(*v);
    imu.base_angular_velocity += unknowns.head<3>();
    imu.base_specific_force += unknowns.segment<3>(3);
    read.push_back(imu);
  }
  const BaseSource base{.frame = "imu", .bias = true, .rotation = true};
  const Model model = *make_model(robot, {.columns = {}, .base = base});
  ASSERT_EQ(model.plan->layout.num_columns(), 9);
  const auto samples = StateLog(read).read(model, base);
  ASSERT_TRUE(samples.ok()) << samples.error().message();
  const Eigen::ArrayXXd columns = columns_times(model, *samples, unknowns);
  for (int row = 0; row < kRows; ++row) {
    oracle::Motion as_read = motions[row];
    as_read.base_angular_velocity = samples->base_motion.row(row).head<3>().transpose();
    as_read.base_angular_acceleration = samples->base_motion.row(row).segment<3>(3).transpose();
    as_read.base_specific_force = samples->base_motion.row(row).tail<3>().transpose();
    const Eigen::VectorXd truth = oracle::newton_euler_torques(robot, motions[row]),
                          of_read = oracle::newton_euler_torques(robot, as_read);
    const Eigen::VectorXd explained = of_read + columns.row(row).transpose().matrix();
    EXPECT_GT((of_read - truth).norm(), 1e-4);
    EXPECT_LE((explained - truth).norm(), 1e-5);
    EXPECT_LE((explained - truth).norm(), 1e-3 * (of_read - truth).norm() + 1e-6);
  }
}

void refused(const ModelOptions& options, const std::string& says) {
  const auto model = make_model(walker(), options);
  ASSERT_FALSE(model.ok()) << says;
  EXPECT_THAT(model.error().message(), HasSubstr(says));
}

TEST(Wrench, RefusesWhatItCannotPlace) {
  const WrenchSpec foot{.name = "f", .frame = "foot", .columns = {"x", "y", "z"}};
  const auto with = [&](const auto& change, const BaseSource& base = {}) {
    WrenchSpec wrench = foot;
    change(wrench);
    return ModelOptions{.columns = {}, .wrenches = {wrench}, .base = base};
  };
  refused(with([](WrenchSpec& w) { w.frame = "fot"; }), "did you mean 'foot'");
  refused(with([](WrenchSpec& w) { w.columns.pop_back(); }), "names 2 columns");
  refused(with([](WrenchSpec& w) { w.sign = 2; }), "sign must be 1 or -1");
  refused(with([](WrenchSpec& w) { w.name = ""; }), "no name");
  refused(with([](WrenchSpec& w) { w.radius = -1; }), "radius");
  refused(with([](WrenchSpec& w) { w.expressed_in = WrenchAxes::world; }), "base.pose");
  refused(with([](WrenchSpec& w) { w.radius = 0.1; }), "base.pose");
  refused({.columns = {}, .wrenches = {foot, foot}}, "given twice");
  refused({.columns = {}, .base = {.frame = "foot"}}, "moves relative to the root link 'trunk'");
  refused({.columns = {}, .base = {.frame = "imo"}}, "did you mean 'imu'");
  const Model model = *make_model(walker(), {.columns = {}, .wrenches = {foot}});
  oracle::Random random(1);
  const auto samples = StateLog(random_motions(walker(), random)).read(model);
  ASSERT_FALSE(samples.ok());
  EXPECT_THAT(samples.error().message(), HasSubstr("wrenches: f: the log has no column 'x'"));
}

}  // namespace
}  // namespace heft
