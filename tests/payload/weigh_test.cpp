// The complete identification of payloads with noise: intervals, several kinds of priors, the
// files.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "heft/payload/payload.hpp"
#include "linalg/factorizations.hpp"
#include "tests/payload/tool.hpp"

namespace heft {
namespace {

using namespace payload_test;

Record noisy(double seconds, std::uint64_t seed) {
  return with_noise(shaken(seconds), seed);
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(WeighPayload, IntervalsContainTheTruthForEveryShape) {
  PayloadPriorOptions good, big, beside;
  good.primitive = {PayloadPrimitive::Kind::box, {0.15, 0.15, 0.2}};
  good.pose = *pose_of({0, 0, 0.07, 0, 0, 0}, "");
  big = beside = good;
  big.primitive = {PayloadPrimitive::Kind::box, 2 * good.primitive->size};
  beside.pose.translation().x() += 0.02;
  const BodyParameters truth = truth_of();
  for (const PayloadPriorOptions& prior : {PayloadPriorOptions{}, good, big, beside}) {
    const auto shape = read_payload_shape(prior);
    ASSERT_TRUE(shape.ok());
    int held = 0;
    double widest_mass = 0, widest_com = 0;
    constexpr int kLogs = 25;
    for (int seed = 0; seed < kLogs; ++seed) {
      const auto result =
          weigh_payload(samples_of(noisy(3, static_cast<std::uint64_t>(seed))), {}, *shape);
      ASSERT_TRUE(result.ok()) << result.error().message();
      EXPECT_TRUE(result->answer().certificate->certified);
      held += result->mass.low <= truth[0] && truth[0] <= result->mass.high;
      widest_mass = std::max(widest_mass, (result->mass.high - result->mass.low) / truth[0]);
      for (int axis = 0; axis < 3; ++axis) {
        const PayloadInterval& com = result->com[static_cast<std::size_t>(axis)];
        const double c = truth[1 + axis] / truth[0];
        held += com.low <= c && c <= com.high;
        widest_com = std::max(widest_com, com.high - com.low);
      }
    }
    EXPECT_GE(held, 0.9 * 4 * kLogs) << shape->words;
    EXPECT_LE(widest_mass, 0.04) << shape->words;
    EXPECT_LE(widest_com, 0.02) << shape->words;
  }
}

TEST(WeighPayload, PriorImprovesTheTensor) {
  PayloadPriorOptions prior;
  prior.parameters = truth_of();
  prior.parameters->tail<6>() *= 1.02;
  const WrenchSamples samples = samples_of(noisy(1.5, 7));
  const auto with = weigh_payload(samples, {}, *read_payload_shape(prior));
  const auto without = fit_payload(samples, {}, *read_payload_shape({}), PayloadMethod::wls);
  ASSERT_TRUE(with.ok() && without.ok());
  const auto error = [](const BodyParameters& x) { return (x - truth_of()).tail<6>().norm(); };
  EXPECT_LT(error(with->answer().parameters), 0.3 * error(without->parameters));
}

TEST(WeighPayload, EveryMethodIsValidatedOnHeldOutData) {
  std::vector<PayloadMethod> methods;
  for (const auto& entry : EnumNames<PayloadMethod>::kList) methods.push_back(entry.value);
  const auto result = weigh_payload(samples_of(noisy(4, 3)), {}, *read_payload_shape({}), methods);
  ASSERT_TRUE(result.ok()) << result.error().message();
  ASSERT_EQ(result->answers.size(), methods.size());
  for (const PayloadAnswer& answer : result->answers) {
    if (answer.method == PayloadMethod::pmd || answer.method == PayloadMethod::pmd_weighted) {
      EXPECT_NE(answer.failure.find("needs a shape"), std::string::npos);
      continue;
    }
    EXPECT_TRUE(answer.failure.empty()) << answer.failure;
    EXPECT_GT(answer.held_out_force, 0);
    EXPECT_LT(answer.held_out_force, 0.1) << enum_name(answer.method);
    EXPECT_GT(answer.held_out_torque, 0);
    EXPECT_LT(answer.held_out_torque, 0.5) << enum_name(answer.method);
    if (answer.certificate) {
      EXPECT_TRUE(answer.is_possible && answer.certificate->certified) << enum_name(answer.method);
    }
  }
}

// the certified answer is the referee: inside the possible bodies both are the same
TEST(WeighPayload, TheManifoldAgreesWithTheCertifiedAnswer) {
  for (int seed = 1; seed <= 8; ++seed) {
    const WrenchSamples samples = samples_of(noisy(2, seed));
    const PayloadShape shape = *read_payload_shape({});
    const auto certified = fit_payload(samples, {}, shape, PayloadMethod::metric);
    const auto manifold = fit_payload(samples, {}, shape, PayloadMethod::manifold);
    ASSERT_TRUE(certified.ok() && manifold.ok()) << manifold.error().message();
    EXPECT_TRUE(manifold->is_possible);
    EXPECT_FALSE(manifold->certificate);
    EXPECT_GE(*manifold->objective, *certified->objective * (1 - 1e-9));
    EXPECT_LE(*manifold->objective, *certified->objective * (1 + 1e-6));
    EXPECT_LE((manifold->parameters - certified->parameters).norm(),
              1e-4 * certified->parameters.norm());
  }
  const auto refused = fit_payload(samples_of(noisy(2, 1)), {.limits = {.known_mass = 1.3}},
                                   *read_payload_shape({}), PayloadMethod::manifold);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message().find("known_mass"), std::string::npos);
}

TEST(WeighPayload, KnownMassHolds) {
  for (const PayloadMethod method :
       {PayloadMethod::automatic, PayloadMethod::geo, PayloadMethod::cone, PayloadMethod::metric}) {
    const auto answer = fit_payload(samples_of(noisy(2, 5)), {.limits = {.known_mass = 1.31}},
                                    *read_payload_shape({}), method);
    ASSERT_TRUE(answer.ok()) << answer.error().message();
    EXPECT_NEAR(answer->parameters[0], 1.31, 1e-6) << enum_name(method);
  }
}

TEST(WeighPayload, RefusesTorqueScalesForASensor) {
  const auto refused =
      weigh_payload(samples_of(noisy(2, 5)), {.torque_scale_sd = 0.05}, *read_payload_shape({}));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().where, "estimation.torque_scale_sd");
}

TEST(WeighPayload, FilesSayTheSameInEveryConvention) {
  PayloadOptions options;
  options.sensor.mounting = *pose_of({0.01, 0.02, 0.05, 0, 0, M_PI / 2}, "");
  auto result = weigh_payload(samples_of(noisy(3, 11)), options, *read_payload_shape({}));
  ASSERT_TRUE(result.ok()) << result.error().message();
  result->logs.push_back({.path = "a</script>b"});
  const auto files = write_payload(*result, "payload_files");
  ASSERT_TRUE(files.ok()) << files.error().message();
  EXPECT_EQ(files->size(), 7u);
  const std::filesystem::path folder = "payload_files";

  const auto json = nlohmann::json::parse(text_of(folder / "result.json"));
  const double mass = json.at("payload").at("mass");
  EXPECT_EQ(mass, result->answer().parameters[0]);
  // the tensor of result.json, moved to the origin by hand, is that of the parameters
  const auto c = json.at("payload").at("com").get<std::vector<double>>();
  const auto I = json.at("payload").at("inertia_com").get<std::vector<double>>();
  EXPECT_NEAR(I[0] + mass * (c[1] * c[1] + c[2] * c[2]), result->answer().parameters[core::kIxx],
              1e-12);
  EXPECT_NEAR(I[1] - mass * c[0] * c[1], result->answer().parameters[core::kIxy], 1e-12);

  // Franka: in the flange, column-major, about the center of mass; x of the flange is -y of the
  // sensor
  const auto franka = nlohmann::json::parse(text_of(folder / "payload_franka.json"));
  EXPECT_EQ(franka.at("load_mass").get<double>(), mass);
  EXPECT_NEAR(franka.at("F_x_Cload")[0].get<double>(), -c[1] + 0.01, 1e-12);
  EXPECT_NEAR(franka.at("F_x_Cload")[1].get<double>(), c[0] + 0.02, 1e-12);
  EXPECT_NEAR(franka.at("F_x_Cload")[2].get<double>(), c[2] + 0.05, 1e-12);
  EXPECT_NEAR(franka.at("load_inertia")[0].get<double>(), I[2], 1e-12);
  EXPECT_NEAR(franka.at("load_inertia")[1].get<double>(), -I[1], 1e-12);
  // UR: [Ixx, Iyy, Izz, Ixy, Ixz, Iyz]
  const std::string ur = text_of(folder / "payload_ur.txt");
  double m, x, y, z, xx, yy, zz, xy;
  ASSERT_EQ(std::sscanf(ur.substr(ur.find("set_target_payload(")).c_str(),
                        "set_target_payload(%lf, [%lf, %lf, %lf], [%lf, %lf, %lf, %lf", &m, &x, &y,
                        &z, &xx, &yy, &zz, &xy),
            8);
  EXPECT_EQ(m, mass);
  EXPECT_NEAR(x, -c[1] + 0.01, 1e-12);
  EXPECT_NEAR(xx, I[2], 1e-12);
  EXPECT_NEAR(yy, I[0], 1e-12);
  EXPECT_NEAR(xy, -I[1], 1e-12);
  // ROS 2 speaks of the sensor's frame
  const std::string ros = text_of(folder / "payload_ros2.yaml");
  double weight;
  ASSERT_EQ(std::sscanf(ros.substr(ros.find("pos: [")).c_str(),
                        "pos: [%lf, %lf, %lf]\n        force: %lf", &x, &y, &z, &weight),
            4);
  EXPECT_NEAR(x, c[0], 1e-12);
  EXPECT_NEAR(weight, 9.81 * mass, 1e-12);
  // the compensation that these numbers make, by hand: m (a - g) in the force's mean square
  EXPECT_NE(text_of(folder / "report.html").find("a\\u003c/script>b"), std::string::npos);

  // points: the moments of the answer
  std::ifstream points(folder / "points.csv");
  std::string line;
  std::getline(points, line);
  std::vector<PointMass> tool;
  while (std::getline(points, line)) {
    ASSERT_EQ(std::sscanf(line.c_str(), "%lf,%lf,%lf,%lf", &x, &y, &z, &m), 4);
    tool.push_back({m, {x, y, z}});
  }
  EXPECT_EQ(tool.size(), 4u);
  EXPECT_LE((truth_of(tool) - result->answer().parameters).norm(), 1e-10 * truth_of().norm());
}

TEST(WeighPayload, ImpossibleAnswersHaveNoFilesForControllers) {
  // of least squares with tensors far too small for the noise
  const auto result =
      weigh_payload(samples_of(noisy(0.5, 2)), {}, *read_payload_shape({}), {PayloadMethod::ols});
  ASSERT_TRUE(result.ok()) << result.error().message();
  ASSERT_FALSE(result->answer().is_possible);
  std::filesystem::create_directories("payload_impossible");
  std::ofstream("payload_impossible/payload.urdf") << "of an earlier answer";
  const auto files = write_payload(*result, "payload_impossible");
  ASSERT_TRUE(files.ok());
  EXPECT_EQ(files->size(), 2u);
  EXPECT_FALSE(std::filesystem::exists("payload_impossible/payload.urdf"));
}

/// A cube of one edge as STL text, its least corner at `from` on every axis; `turn` makes all
/// triangles face inwards.
std::string cube(double edge, bool open = false, bool turn = false, double from = 0) {
  const int faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                            {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  std::string text = "solid cube\n";
  for (int face = open ? 2 : 0; face < 12; ++face) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (int k = 0; k < 3; ++k) {
      const int corner = faces[face][turn ? 2 - k : k];
      text += "vertex";
      for (int axis = 0; axis < 3; ++axis)
        text += " " + std::to_string(from + (corner >> axis & 1) * edge);
      text += "\n";
    }
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid cube\n";
}

TEST(PayloadShapes, AMeshHasTheMomentsOfItsSolid) {
  PayloadPriorOptions box{
      .primitive = {{PayloadPrimitive::Kind::box, Eigen::Vector3d::Constant(0.2)}}},
      mesh{.mesh = "cube.stl"};
  mesh.pose = *pose_of({0.01, 0.02, 0.03, 0.1, 0.2, 0.3}, "");
  box.pose = mesh.pose * Eigen::Translation3d(0.1, 0.1, 0.1);
  const auto expected = read_payload_shape(box);
  for (const bool turn : {false, true}) {
    std::ofstream("cube.stl") << cube(0.2, false, turn);
    const auto shape = read_payload_shape(mesh);
    ASSERT_TRUE(shape.ok()) << shape.error().message();
    EXPECT_LE((shape->unit - expected->unit).norm(), 1e-7 * expected->unit.norm()) << turn;
    EXPECT_EQ(shape->corners.cols(), 36);
  }
}

TEST(PayloadShapes, AFlatBoxHasNotMillionsOfPoints) {
  PayloadPriorOptions prior{.primitive = {{PayloadPrimitive::Kind::box, {10, 10, 1e-9}}}};
  const auto shape = read_payload_shape(prior);
  ASSERT_TRUE(shape.ok()) << shape.error().message();
  EXPECT_GE(shape->points.cols(), 4);
  EXPECT_LE(shape->points.cols(), 10000);
}

// Moments of a ball and a cylinder by sums over a fine grid of cells, whose error falls with the
// cells.
TEST(PayloadShapes, PrimitivesHaveTheirMoments) {
  const Eigen::Isometry3d pose = *pose_of({0.01, 0.02, 0.03, 0.1, 0.2, 0.3}, "");
  using Kind = PayloadPrimitive::Kind;
  for (const PayloadPrimitive& primitive : {PayloadPrimitive{Kind::ball, {0.2, 0.2, 0.2}},
                                            PayloadPrimitive{Kind::cylinder, {0.1, 0.1, 0.3}}}) {
    constexpr int kCells = 80;
    Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
    Eigen::Vector3d first = Eigen::Vector3d::Zero();
    double count = 0;
    for (int i = 0; i < kCells * kCells * kCells; ++i) {
      const Eigen::Vector3d p =
          ((Eigen::Array3d(i % kCells, i / kCells % kCells, i / kCells / kCells) + 0.5) / kCells -
           0.5) *
          primitive.size.array();
      if (primitive.kind == Kind::ball ? p.norm() > 0.1 : p.head<2>().norm() > 0.05) continue;
      const Eigen::Vector3d at = pose * p;
      count += 1, first += at, second += at * at.transpose();
    }
    const auto shape = read_payload_shape({.primitive = primitive, .pose = pose});
    ASSERT_TRUE(shape.ok()) << shape.error().message();
    const BodyParameters expected = [&] {
      BodyParameters x;
      const Eigen::Matrix3d S = second / count, I = S.trace() * Eigen::Matrix3d::Identity() - S;
      x << 1, first / count, I(0, 0), I(0, 1), I(1, 1), I(0, 2), I(1, 2), I(2, 2);
      return x;
    }();
    EXPECT_LE((shape->unit - expected).norm(), 2e-3 * expected.tail(6).norm());
    EXPECT_NEAR(shape->volume, count * primitive.size.prod() / std::pow(kCells, 3),
                5e-3 * shape->volume);
    // points of pmd stand for all of it, and all of it is in the ellipsoid, which its rim touches
    EXPECT_NEAR(shape->volumes.sum(), shape->volume, 1e-12);
    EXPECT_GE(shape->points.cols(), 60);
    const Ellipsoid& bounds = *shape->bounds;
    const auto measure = [&](const Eigen::Vector3d& p) {
      return (bounds.R.transpose() * (p - bounds.center)).cwiseQuotient(bounds.semi_axes).norm();
    };
    for (const auto& p : shape->points.colwise()) EXPECT_LE(measure(p), 1);
    const Eigen::Vector3d rim = primitive.kind == Kind::ball ? Eigen::Vector3d(0, 0.1, 0)
                                                             : Eigen::Vector3d(0.03, 0.04, -0.15);
    EXPECT_NEAR(measure(pose * rim), 1, 1e-12);
    EXPECT_GE(bounds.semi_axes[0], bounds.semi_axes[1]);
    EXPECT_NEAR(bounds.R.determinant(), 1, 1e-12);
  }
}

TEST(PayloadShapes, ACavityIsNotAnInvertedPart) {
  std::ofstream("hollow.stl") << cube(0.2) + cube(0.1, false, true, 0.05);
  const auto hollow = read_payload_shape({.mesh = "hollow.stl"});
  ASSERT_TRUE(hollow.ok()) << hollow.error().message();
  EXPECT_EQ(hollow->words, "mesh hollow.stl of 7 liters");
  std::ofstream("beside.stl") << cube(0.2) + cube(0.1, false, true, 0.25);
  const auto beside = read_payload_shape({.mesh = "beside.stl"});
  ASSERT_FALSE(beside.ok());
  EXPECT_NE(beside.error().message().find("number 2 of 2, of 1 liters"), std::string::npos)
      << beside.error().message();
  // all of it inwards, and one part outwards: the other one is wrong
  std::ofstream("inwards.stl") << cube(0.2, false, true) + cube(0.1, false, false, 0.25);
  const auto inwards = read_payload_shape({.mesh = "inwards.stl"});
  ASSERT_FALSE(inwards.ok());
  EXPECT_NE(inwards.error().remedy.find("flip"), std::string::npos);
}

TEST(PayloadShapes, AreRefusedWithARemedy) {
  const auto refused = [](const PayloadPriorOptions& options, const std::string& words) {
    const auto shape = read_payload_shape(options);
    ASSERT_FALSE(shape.ok()) << words;
    EXPECT_NE(shape.error().message().find(words), std::string::npos) << shape.error().message();
    EXPECT_FALSE(shape.error().remedy.empty());
  };
  std::ofstream("millimeters.stl") << cube(200);
  refused({.mesh = "millimeters.stl"}, "millimeters");
  std::ofstream("open.stl") << cube(0.2, true);
  std::ofstream("tiny.stl") << cube(0.0002);
  refused({.mesh = "tiny.stl"}, "0.2 mm long");
  refused({.mesh = "/dev/zero"}, "larger than");
  refused({.primitive = {{PayloadPrimitive::Kind::box, {1e-4, 1e-4, 1e-4}}}}, "0.0001 m");
  refused({.mesh = "open.stl"}, "open");
  refused({.mesh = "nowhere.stl"}, "nowhere.stl");
  refused({.primitive = {{PayloadPrimitive::Kind::box, {0.1, -0.1, 0.1}}}}, "box");
  refused({.mesh = "open.stl", .primitive = {{PayloadPrimitive::Kind::box, {0.1, 0.1, 0.1}}}},
          "more than one way");
  BodyParameters impossible = truth_of();
  impossible[core::kIxx] = -1;
  refused({.parameters = impossible}, "physically consistent");
  std::ofstream("points.csv") << "x,y,z,volume\n0,0,0,-1\n";
  refused({.points = "points.csv"}, "negative volume");
  std::ofstream("points.csv") << "x,y,z,weight\n0,0,0,1\n";
  refused({.points = "points.csv"}, "'volume'");
}

}  // namespace
}  // namespace heft
