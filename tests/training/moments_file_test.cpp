// Moments files: what is read back, which can be added, their size, and the errors.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "files/sha256.hpp"
#include "files/whole_file.hpp"
#include "heft/executor/executor.hpp"
#include "heft/robot/robot_document.hpp"
#include "heft/setup/setup.hpp"
#include "heft/training/training_data.hpp"
#include "host/identification/training/moments_description.hpp"
#include "model/regrouping.hpp"
#include "tests/conformance/random_samples.hpp"
#include "tests/oracle/random_robot.hpp"
#include "training/folds.hpp"

namespace heft {
namespace {

std::string numbers(oracle::Random& random, int count, double limit) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += fmt::format("{}{:.6f}", i > 0 ? " " : "", random.uniform(-limit, limit));
  return text;
}

/// URDF of chains with these numbers of revolute joints, unaligned, all on one root link.
std::string urdf_of_limbs(const std::vector<int>& limbs) {
  oracle::Random random(limbs.size());
  const auto link = [&](const std::string& name) {
    const double a = random.uniform(0.02, 0.1), b = random.uniform(0.02, 0.1),
                 mass = random.uniform(1, 5);
    return fmt::format(
        "<link name=\"{}\"><inertial><origin xyz=\"{}\"/><mass value=\"{:.6f}\"/><inertia ixx=\"{:.6f}\" "
        "ixy=\"0\" ixz=\"0\" iyy=\"{:.6f}\" iyz=\"0\" izz=\"{:.6f}\"/></inertial></link>\n",
        name, numbers(random, 3, 0.1), mass, a, b, std::abs(a - b) + 0.01);
  };
  std::string text = "<robot name=\"limbs\">\n" + link("root");
  for (std::size_t limb = 0; limb < limbs.size(); ++limb)
    for (int k = 0; k < limbs[limb]; ++k) {
      const std::string parent = k == 0 ? "root" : fmt::format("link_{}_{}", limb, k - 1);
      text += link(fmt::format("link_{}_{}", limb, k));
      const std::string place = numbers(random, 3, 0.4), turn = numbers(random, 3, 3.1);
      text += fmt::format(
          "<joint name=\"joint_{0}_{1}\" type=\"revolute\"><parent link=\"{2}\"/><child "
          "link=\"link_{0}_{1}\"/><origin xyz=\"{3}\" rpy=\"{4}\"/><axis xyz=\"0 0 1\"/>"
          "<limit lower=\"-3\" upper=\"3\" velocity=\"3\" effort=\"100\"/></joint>\n",
          limb, k, parent, place, turn);
    }
  return text + "</robot>\n";
}

void fill(Moments& moments, oracle::Random& random) {
  for (double& sum : moments.packed) sum = random.normal() * random.log_uniform(1e-6, 1e6);
  for (double& rows : moments.num_rows) rows = random.integer(0, 100000);
}

/// A record of options.
std::string options_with(double lowpass_hz, int threads) {
  return fmt::format(R"({{"conditioning":{{"lowpass_hz":{}}},"backend":{{"threads":{}}}}})",
                     lowpass_hz, threads);
}

/// Data of a robot with the default columns, whose sums are drawn: no two are alike.
TrainingData drawn_data(const std::string& urdf, bool floating_base, int num_stretches,
                        std::uint64_t seed = 1) {
  const auto robot = read_robot_text("limbs.urdf", urdf, "", {.floating_base = floating_base});
  EXPECT_TRUE(robot.ok()) << robot.error().message();
  TrainingData data{.plan = make_model(*robot)->plan, .options = options_with(10, 0)};
  data.logs.push_back({.path = "monday.csv",
                       .sha256 = std::string(64, 'a'),
                       .num_rows = 12345,
                       .num_segments = 2,
                       .duration_s = 1.0 / 3,
                       .rate_hz = 1e3 / 7,
                       .jitter = 0.1,
                       .num_interpolated = 17,
                       .num_samples = 11111,
                       .sample_period_s = 0.007,
                       .filter_reach_s = 0.7,
                       .dropped = {{"dead band", 99}}});
  oracle::Random random(seed);
  data.moments = zero_moments(data.plan);
  fill(data.moments, random);
  for (int i = 0; i < num_stretches; ++i) {
    data.stretches.push_back({zero_moments(data.plan), 100 + i});
    fill(data.stretches.back().moments, random);
  }
  return data;
}

/// The same with the frames that W is made of as rounding of another build could leave them.
TrainingData with_other_frames(TrainingData data, double difference) {
  RegressorPlan plan = *data.plan;
  for (KernelFrame& frame : plan.kernel_frames) frame.in_parent.translation().array() += difference;
  plan.regrouping = regrouping_matrix(plan);
  data.plan = std::make_shared<const RegressorPlan>(std::move(plan));
  data.moments.plan = data.plan;
  for (MomentStretch& stretch : data.stretches) stretch.moments.plan = data.plan;
  return data;
}

class MomentsFile : public ::testing::Test {
 protected:
  MomentsFile()
      : path_(
            (std::filesystem::temp_directory_path() / fmt::format("heft_moments_{}.heft", getpid()))
                .string()),
        arm_(drawn_data(urdf_of_limbs({7}), false, 3)) {}
  ~MomentsFile() override { std::filesystem::remove(path_); }

  std::string bytes_of(const TrainingData& data, MomentsForm form = MomentsForm::whole) const {
    EXPECT_TRUE(write_moments_file(data, path_, form).ok());
    return *read_file_whole(path_);
  }

  Result<TrainingData> read_bytes(const std::string& bytes) const {
    EXPECT_TRUE(write_file_whole(path_, bytes).ok());
    return read_moments_file(path_);
  }

  /// The error of these bytes, which must name the file and a remedy.
  std::string refusal(const std::string& bytes) const {
    const auto read = read_bytes(bytes);
    if (read) return "";
    EXPECT_EQ(read.error().where.substr(0, path_.size()), path_);
    EXPECT_FALSE(read.error().remedy.empty());
    return read.error().what;
  }

  std::string path_;
  TrainingData arm_;
};

/// Bytes whose last 64 are the right digest of the others.
std::string with_digest(std::string bytes) {
  bytes.resize(bytes.size() - 64);
  Sha256 sha;
  sha.update(bytes.data(), bytes.size());
  return bytes + sha.hex_digest();
}

void put(std::string& bytes, std::size_t offset, std::uint64_t value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

void expect_equal(const Moments& a, const Moments& b) {
  EXPECT_EQ(a.packed, b.packed);
  EXPECT_EQ(a.num_rows, b.num_rows);
}

TEST_F(MomentsFile, GivesTheSameBitsBack) {
  const TrainingData humanoid = drawn_data(urdf_of_limbs({2, 3}), true, 4);
  for (const TrainingData& data : {arm_, humanoid})
    for (const MomentsForm form : {MomentsForm::whole, MomentsForm::compact}) {
      const std::string bytes = bytes_of(data, form);
      const auto read = read_moments_file(path_);
      ASSERT_TRUE(read.ok()) << read.error().message();
      expect_equal(read->moments, data.moments);
      EXPECT_EQ(read->is_compact(), form == MomentsForm::compact);
      ASSERT_EQ(read->stretches.size(), form == MomentsForm::compact ? 0 : data.stretches.size());
      for (std::size_t i = 0; i < read->stretches.size(); ++i) {
        expect_equal(read->stretches[i].moments, data.stretches[i].moments);
        EXPECT_EQ(read->stretches[i].num_samples, data.stretches[i].num_samples);
      }
      const RegressorPlan &plan = *read->plan, &expected = *data.plan;
      EXPECT_EQ(Eigen::MatrixXd(plan.regrouping), Eigen::MatrixXd(expected.regrouping));
      EXPECT_EQ(plan.channel_columns, expected.channel_columns);
      ASSERT_EQ(plan.layout.num_parameters(), expected.layout.num_parameters());
      for (int i = 0; i < plan.layout.num_parameters(); ++i) {
        EXPECT_EQ(plan.layout.name(i), expected.layout.name(i));
        EXPECT_EQ(plan.layout.unit(i), expected.layout.unit(i));
      }
      for (int b = 0; b < plan.robot.num_bodies(); ++b) {
        EXPECT_EQ(plan.robot.bodies[b].prior, expected.robot.bodies[b].prior);
        EXPECT_EQ(plan.robot.bodies[b].X_parent_body.matrix(),
                  expected.robot.bodies[b].X_parent_body.matrix());
      }
      EXPECT_EQ(plan.robot.source_text, expected.robot.source_text);
      EXPECT_EQ(plan.robot.floating_base, expected.robot.floating_base);
      EXPECT_EQ(read->options, options_with(10, 0));
      ASSERT_EQ(read->logs.size(), 1u);
      EXPECT_EQ(read->logs[0].duration_s, data.logs[0].duration_s);
      EXPECT_EQ(read->logs[0].dropped, data.logs[0].dropped);
      // a function of the content, also of one that was read
      EXPECT_EQ(bytes_of(*read, form), bytes);
    }
}

TEST_F(MomentsFile, RobotsOfEveryKindComeBackWithoutARobotFile) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    const Robot robot =
        oracle::random_robot(oracle::RandomRobotOptions::everything(seed % 2 == 0), seed);
    const std::vector<Channel> channels = default_channels(robot);
    TrainingData data{.plan = *make_regressor_plan(
                          robot, channels, testing::columns_of_every_kind(robot, channels))};
    oracle::Random random(seed);
    data.moments = zero_moments(data.plan);
    fill(data.moments, random);
    bytes_of(data);
    const auto read = read_moments_file(path_);
    ASSERT_TRUE(read.ok()) << read.error().message();
    expect_equal(read->moments, data.moments);
    EXPECT_EQ(Eigen::MatrixXd(read->plan->regrouping), Eigen::MatrixXd(data.plan->regrouping));
    // the same rows: the sums of the same samples are the same bits
    const Samples samples = testing::random_samples(*data.plan, 50, seed).samples;
    auto backend = make_backend({.kind = BackendKind::cpu});
    std::vector<std::vector<double>> packed(2);
    const AccumulateJob jobs[] = {{data.plan.get(), &samples, 0, 50},
                                  {read->plan.get(), &samples, 0, 50}};
    ASSERT_TRUE((*backend)->accumulate(jobs, packed).ok());
    EXPECT_EQ(packed[0], packed[1]);
  }
}

TEST_F(MomentsFile, HoldsEveryNumberOfItsContent) {
  arm_.options = options_with(10, 3);
  MomentsContent content{arm_, {}};
  auto described = content_of(description_of(content), path_);
  ASSERT_TRUE(described.ok()) << described.error().message();
  described->make_room();
  std::size_t count = 0;
  for_each_run(described->content, [&](double* begin, std::size_t size) {
    std::fill_n(begin, size, std::numeric_limits<double>::quiet_NaN());
    count += size;
  });
  EXPECT_EQ(count, described->num_numbers());
  const TrainingData& data = described->content.data;
  const auto is_poisoned = [](const Moments& moments) {
    const auto is_nan = [](double x) { return std::isnan(x); };
    return std::all_of(moments.packed.begin(), moments.packed.end(), is_nan) &&
           std::all_of(moments.num_rows.begin(), moments.num_rows.end(), is_nan);
  };
  EXPECT_TRUE(is_poisoned(data.moments));
  ASSERT_EQ(data.stretches.size(), arm_.stretches.size());
  for (const MomentStretch& stretch : data.stretches) EXPECT_TRUE(is_poisoned(stretch.moments));
}

TEST_F(MomentsFile, DoesNotDependOnThreads) {
  const std::string bytes = bytes_of(arm_);
  arm_.options = options_with(10, 5);
  EXPECT_EQ(bytes_of(arm_), bytes);
  arm_.options = options_with(11, 5);
  EXPECT_NE(bytes_of(arm_), bytes);
}

TEST_F(MomentsFile, OfAnotherBuildAddsUp) {
  const TrainingData near = with_other_frames(arm_, 1e-14), far = with_other_frames(arm_, 1e-9);
  ASSERT_NE(Eigen::MatrixXd(near.plan->regrouping), Eigen::MatrixXd(arm_.plan->regrouping));
  TrainingData sum = *read_bytes(bytes_of(arm_));
  const TrainingData other = *read_bytes(bytes_of(near));
  EXPECT_EQ(Eigen::MatrixXd(other.plan->regrouping), Eigen::MatrixXd(near.plan->regrouping));
  ASSERT_TRUE(add(sum, other).ok());
  for (std::size_t i = 0; i < sum.moments.packed.size(); ++i)
    EXPECT_EQ(sum.moments.packed[i], 2 * arm_.moments.packed[i]);
  EXPECT_EQ(sum.stretches.size(), 2 * arm_.stretches.size());
  EXPECT_TRUE(sum.disagreements.empty());

  const std::vector<double> before = sum.moments.packed;
  const Result<Done> added = add(sum, *read_bytes(bytes_of(far)));
  ASSERT_FALSE(added.ok());
  EXPECT_NE(added.error().what.find("' enters 'link_0_"), std::string::npos) << added.error().what;
  EXPECT_EQ(sum.moments.packed, before);
  EXPECT_EQ(sum.stretches.size(), 2 * arm_.stretches.size());
}

TEST_F(MomentsFile, NamesTheDifferencesFromAnotherRobot) {
  std::string text = urdf_of_limbs({7});
  const auto what = [&](const std::string& urdf) {
    TrainingData sum = arm_;
    const Result<Done> added = add(sum, drawn_data(urdf, false, 1));
    return added ? "" : added.error().what;
  };
  const auto replaced = [](std::string where, const std::string& from, const std::string& to) {
    for (std::size_t at = where.find(from); at != std::string::npos;
         at = where.find(from, at + to.size()))
      where.replace(at, from.size(), to);
    return where;
  };
  EXPECT_EQ(what(text), "");
  EXPECT_NE(what(replaced(text, "joint_0_3", "elbow"))
                .find("'elbow [N m]' there, 'joint_0_3 [N m]' here"),
            std::string::npos);
  EXPECT_NE(
      what(replaced(text, "link_0_3", "forearm")).find("'forearm.m' there, 'link_0_3.m' here"),
      std::string::npos);
  EXPECT_NE(what(urdf_of_limbs({6})).find("'joint_0_6 [N m]' here"), std::string::npos);
  // the joint's first coordinate moves by a nanometer
  const std::size_t at = text.find("<origin", text.find("joint name=\"joint_0_5\"")) + 13;
  const std::string moved =
      text.substr(0, text.find(' ', at)) + "001" + text.substr(text.find(' ', at));
  EXPECT_NE(what(moved).find("enters"), std::string::npos) << what(moved);
}

TEST_F(MomentsFile, LoadsOfOtherRobotsMakeOtherColumns) {
  const auto data_of = [&](double scale) {
    const ModelOptions options{
        .columns = {
            {.kind = "expression", .name = "loss", .unit = "1", .each_joint = "abs(load)"}}};
    Robot robot = arm_.plan->robot;
    for (Body& body : robot.bodies) body.prior *= scale;
    TrainingData data{.plan = make_model(robot, options)->plan};
    data.moments = zero_moments(data.plan);
    return data;
  };
  TrainingData sum = data_of(1);
  EXPECT_TRUE(add(sum, data_of(1 + 1e-14)).ok());
  const Result<Done> added = add(sum, data_of(1 + 1e-9));
  ASSERT_FALSE(added.ok());
  EXPECT_NE(added.error().what.find("load of another robot"), std::string::npos);
}

TEST_F(MomentsFile, CompactDataMakeCompactSums) {
  TrainingData whole = arm_, compact = arm_;
  compact.stretches.clear();
  ASSERT_TRUE(add(whole, compact).ok());
  EXPECT_TRUE(whole.is_compact());
  const auto folds = blocked_folds(whole);
  ASSERT_FALSE(folds.ok());
  EXPECT_NE(folds.error().what.find("compact"), std::string::npos);
  const auto blocks = independent_blocks(whole);
  ASSERT_FALSE(blocks.ok());
  EXPECT_NE(blocks.error().what.find("compact"), std::string::npos);
}

TEST_F(MomentsFile, CompactOnesAreSmall) {
  const std::string arm = bytes_of(arm_, MomentsForm::compact);
  RecordProperty("arm_bytes", static_cast<int>(arm.size()));
  EXPECT_LE(arm.size(), 40'000u);
  EXPECT_GE(arm.size(), 7u * 8 * arm_.plan->packed_size / 8) << "sums are not thrown away";
  const TrainingData humanoid = drawn_data(urdf_of_limbs({6, 6, 7, 7, 2, 2}), true, 1);
  ASSERT_EQ(humanoid.plan->num_channels(), 36);
  const std::string large = bytes_of(humanoid, MomentsForm::compact);
  RecordProperty("humanoid_bytes", static_cast<int>(large.size()));
  EXPECT_LE(large.size(), 1'000'000u);
  const auto read = read_bytes(large);
  ASSERT_TRUE(read.ok()) << read.error().message();
  expect_equal(read->moments, humanoid.moments);
}

TEST_F(MomentsFile, OlderAndNewerOnesAreNamed) {
  EXPECT_NE(refusal("heft-moments-1\n2\n{}").find("older format heft-moments-1"),
            std::string::npos);
  std::string newer = bytes_of(arm_);
  newer[13] = '3';
  EXPECT_NE(refusal(newer).find("newer format heft-moments-3"), std::string::npos);
  EXPECT_NE(refusal("heft-moments-17\nwhatever").find("newer format heft-moments-17"),
            std::string::npos);
  EXPECT_NE(refusal("heft-moments-x\n").find("is not a moments file"), std::string::npos);
  EXPECT_NE(refusal("t,q1,tau1\n").find("is not a moments file"), std::string::npos);
  EXPECT_NE(refusal("").find("is empty"), std::string::npos);
  EXPECT_NE(refusal("h").find("is truncated"), std::string::npos);
  EXPECT_NE(refusal("x").find("is not a moments file"), std::string::npos);
}

TEST_F(MomentsFile, OfTheOtherByteOrderIsNamed) {
  std::string bytes = bytes_of(arm_);
  for (std::size_t at = 16; at < 72; at += 8)
    std::reverse(bytes.begin() + at, bytes.begin() + at + 8);
  EXPECT_NE(refusal(bytes).find("other byte order"), std::string::npos);
}

TEST_F(MomentsFile, TruncatedAnywhereIsRefused) {
  const std::string bytes = bytes_of(arm_, MomentsForm::compact);
  for (std::size_t size = 0; size < bytes.size();
       size += size < 200 || size + 200 > bytes.size() ? 1 : 97) {
    const std::string what = refusal(bytes.substr(0, size));
    const std::string expected = size == 0 ? "empty" : "truncated";
    ASSERT_NE(what.find(expected), std::string::npos) << size << " bytes: " << what;
  }
  EXPECT_NE(refusal(bytes + "x").find("1 extra bytes after its end"), std::string::npos);
}

TEST_F(MomentsFile, FlippedBitsAreRefused) {
  const std::string bytes = bytes_of(arm_, MomentsForm::compact);
  oracle::Random random(5);
  for (int i = 0; i < 700; ++i) {
    const int bit =
        i < 576 ? i : random.integer(576, static_cast<int>(bytes.size()) * 8 - 1);  // all of the
                                                                                    // head
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    ASSERT_NE(refusal(flipped), "") << "bit " << bit;
  }
}

TEST_F(MomentsFile, AbsurdSizesAreRefusedBeforeThereIsRoomForThem) {
  for (const MomentsForm form : {MomentsForm::whole, MomentsForm::compact})
    for (const std::size_t field : {32, 40, 48, 56, 64})
      for (const std::uint64_t value :
           {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 33, std::uint64_t{1} << 61,
            (std::uint64_t{1} << 61) + 5, ~std::uint64_t{0}}) {
        std::string bytes = bytes_of(arm_, form);
        std::uint64_t old = 0;
        std::memcpy(&old, bytes.data() + field, sizeof old);
        if (old == value) continue;
        put(bytes, field, value);
        EXPECT_NE(refusal(with_digest(bytes)), "") << "field " << field << " = " << value;
      }
}

TEST_F(MomentsFile, NumbersThatAreNotFiniteAndNegativeCountsAreRefused) {
  for (const double poison : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    TrainingData data = arm_;
    data.stretches.back().moments.packed[7] = poison;
    EXPECT_NE(refusal(bytes_of(data)).find("not finite"), std::string::npos);
  }
  TrainingData data = arm_;
  data.moments.num_rows[2] = -1;
  EXPECT_NE(refusal(bytes_of(data)).find("negative number of rows"), std::string::npos);
}

TEST_F(MomentsFile, RefusesUnsupportedMoments) {
  TrainingData summed = arm_;
  summed.moments = zero_moments(arm_.plan, Eigen::VectorXd::Ones(7));
  EXPECT_FALSE(write_moments_file(summed, path_).ok());
}

}  // namespace
}  // namespace heft
