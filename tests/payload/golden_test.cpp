// Every method compared with results of other programs on the same numbers, to the tolerances that
// their files state.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <string>

#include "heft/payload/payload.hpp"
#include "host/applications/payload/methods/methods.hpp"
#include "tests/oracle/golden.hpp"

namespace heft {
namespace {

BodyParameters body_of(const nlohmann::json& json) {
  const auto numbers = json.get<std::vector<double>>();
  return Eigen::Map<const BodyParameters>(numbers.data());
}

/// t, w, al, a, g, f, n
WrenchSamples samples_of(const Eigen::ArrayXXd& rows) {
  return *make_wrench_samples(rows.col(0), rows.middleCols(1, 3), rows.middleCols(4, 3),
                              rows.middleCols(7, 3) - rows.middleCols(10, 3), rows.rightCols(6));
}

void expect_near(const BodyParameters& x, const nlohmann::json& expected, double tolerance,
                 const std::string& where) {
  const BodyParameters other = body_of(expected.at("pi"));
  EXPECT_LE((x - other).cwiseAbs().maxCoeff(), tolerance * other.cwiseAbs().maxCoeff()) << where;
}

/// The objective, not above the golden one, and the parameters. A golden answer whose objective
/// lies above our lower bound is not quite the optimum, which is flat there: `above` counts those,
/// and only objectives are compared.
void expect_optimum(const PayloadAnswer& answer, const nlohmann::json& expected, double tolerance,
                    const std::string& where, int& above) {
  ASSERT_TRUE(answer.objective && answer.certificate) << where;
  const double other = expected.at("objective"), ours = *answer.objective;
  EXPECT_LE(ours, other + 1e-9 * std::abs(other)) << where;
  EXPECT_GE(ours, other - 2e-8 * std::abs(other)) << where;
  const bool is_above = answer.method != PayloadMethod::geo &&
                        answer.certificate->dual < other - 1e-9 * std::abs(other);
  above += is_above;
  if (is_above)
    ::testing::Test::RecordProperty(
        where, std::to_string((other - answer.certificate->dual) / std::abs(other) * 1e9) + "e-9");
  if (!is_above) expect_near(answer.parameters, expected, tolerance, where);
}

class GoldenPayload : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto folder = oracle::golden_directory();
    if (!folder || !std::filesystem::is_directory(*folder / "payload"))
      GTEST_SKIP() << oracle::kNoGolden;
    folder_ = *folder / "payload";
  }

  static PayloadOptions options() {
    PayloadOptions options{.bias = BiasKind::none};
    options.margin = 0;  // these optima touch the cone
    return options;
  }

  void expect_answers(const WrenchSamples& samples, const BodyParameters& prior,
                      const nlohmann::json& expected, double linear, const std::string& where) {
    PayloadOptions given = options();
    given.prior.parameters = prior;
    const auto shape = read_payload_shape(given.prior);
    ASSERT_TRUE(shape.ok()) << shape.error().message();
    const auto answer_of = [&](PayloadMethod method) {
      const auto answer = fit_payload(samples, given, *shape, method);
      EXPECT_TRUE(answer.ok()) << where << answer.error().message();
      if (answer.ok() && answer->certificate) {
        EXPECT_TRUE(answer->certificate->certified)
            << where << enum_name(method) << answer->certificate->verdict;
      }
      return *answer;
    };
    expect_near(answer_of(PayloadMethod::ols).parameters, expected.at("ols"), linear,
                where + " ols");
    expect_near(answer_of(PayloadMethod::wls).parameters, expected.at("wls"),
                std::max(linear, 1e-8), where + " wls");
    expect_near(answer_of(PayloadMethod::tls).parameters, expected.at("tls"),
                std::max(linear, 1e-8), where + " tls");
    expect_optimum(answer_of(PayloadMethod::geo), expected.at("geo_entropic"), 1e-7, where + " geo",
                   above_);
    expect_optimum(answer_of(PayloadMethod::cone), expected.at("cone_no_prior"), 1e-6,
                   where + " cone", above_);
    for (const char* name : {"metric_cone_w0.01", "metric_cone_w0.1", "metric_cone_w1"}) {
      if (!expected.contains(name)) continue;
      given.metric_weight = std::stod(std::string(name).substr(13));
      expect_optimum(answer_of(PayloadMethod::metric), expected.at(name), 1e-6, where + " " + name,
                     above_);
    }
  }

  /// Masses at points: the objective to 1e-8, parameters to 1e-5, as the files state.
  void expect_point_masses(WrenchSamples samples, const Eigen::ArrayXXd& gravity,
                           const PayloadShape& shape, const nlohmann::json& expected,
                           const std::string& where) {
    samples.gravity = gravity;
    const auto pmd = fit_payload(samples, options(), shape, PayloadMethod::pmd);
    ASSERT_TRUE(pmd.ok() && pmd->certificate->certified) << where;
    EXPECT_NEAR(*pmd->objective, expected.at("objective"), 1e-8 * *pmd->objective) << where;
    expect_near(pmd->parameters, expected, 1e-5, where + " pmd");
  }

  /// A shape of points with volumes, in the sensor's frame.
  static PayloadShape shape_of(const nlohmann::json& points,
                               const std::function<double(std::size_t)>& volume) {
    // a name of this test alone: others of this file run beside it in the same folder
    const std::string path = std::string("golden_points_") +
                             testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv";
    std::ofstream table(path);
    table << "x,y,z,volume\n";
    table.precision(17);
    for (std::size_t i = 0; i < points.size(); ++i)
      table << points[i][0] << ',' << points[i][1] << ',' << points[i][2] << ',' << volume(i)
            << "\n";
    table.close();
    return *read_payload_shape({.points = path});
  }

  std::filesystem::path folder_;
  int above_ = 0;
};

TEST_F(GoldenPayload, SimulatedObjects) {
  const nlohmann::json golden = oracle::read_json(folder_ / "payload_sim.json");
  const PayloadShape shape = shape_of(golden.at("points"), [](std::size_t) { return 1e-5; });

  int sets = 0;
  for (const auto& set : golden.at("sets")) {
    const auto& data = set.at("data");
    Eigen::ArrayXXd rows(data.size(), 19);
    for (std::size_t i = 0; i < data.size(); ++i)
      for (int k = 0; k < 19; ++k)
        rows(static_cast<Eigen::Index>(i), k) = data[i][static_cast<std::size_t>(k)];
    const WrenchSamples samples = samples_of(rows);
    const auto& expected = set.at("expected");
    const std::string where = set.at("object").get<std::string>() + " " + std::to_string(sets++);
    const BodyParameters prior = body_of(expected.at("prior"));
    const double mass = payload::sums_of(samples, BiasKind::none).mass_guess();
    EXPECT_LE(std::abs(mass - prior[0]), 1e-12 * prior[0]) << where;
    EXPECT_LE((mass * shape.unit - prior).norm(), 1e-12 * prior.norm()) << where;
    expect_answers(samples, prior, expected, 1e-9, where);
    expect_point_masses(samples, rows.middleCols(10, 3), shape, expected.at("pmd"), where);
  }
  EXPECT_GE(sets, 15);
  EXPECT_LE(above_, 8) << "golden answers above our bound";
}

/// The stream of normals that the golden file defines.
class GoldenNoise {
 public:
  explicit GoldenNoise(std::uint64_t seed) : state_(seed) {}
  double normal() {
    const double u1 = uniform(), u2 = uniform();
    return std::sqrt(-2 * std::log(u1)) * std::cos(2 * M_PI * u2);
  }

 private:
  double uniform() {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return (static_cast<double>(x >> 11) + 0.5) * 0x1p-53;
  }
  std::uint64_t state_;
};

TEST_F(GoldenPayload, WorkshopTools) {
  const char* data = std::getenv("HEFT_DATA");
  if (data == nullptr)
    GTEST_SKIP() << "no logs: set HEFT_DATA to the directory that has workshop_tools_ft/";
  const nlohmann::json golden = oracle::read_json(folder_ / "payload_real.json");
  const std::map<std::string, std::array<double, 4>> levels = {{"low", {.25, .025, .05, .0025}},
                                                               {"moderate", {.5, .05, .1, .005}},
                                                               {"high", {1, .1, .2, .01}}};
  for (const auto& tool : golden.at("tools")) {
    const std::string where = tool.at("object");
    std::ifstream log(std::filesystem::path(data) / "workshop_tools_ft" /
                      tool.at("file").get<std::string>());
    ASSERT_TRUE(log) << where;
    std::string line;
    std::getline(log, line);
    std::vector<double> numbers;
    while (std::getline(log, line)) {
      std::stringstream cells(line);
      for (std::string cell; std::getline(cells, cell, ',');) numbers.push_back(std::stod(cell));
    }
    const auto num_rows = static_cast<Eigen::Index>(numbers.size() / 19);
    Eigen::ArrayXXd rows = Eigen::Map<Eigen::Array<double, Eigen::Dynamic, 19, Eigen::RowMajor>>(
        numbers.data(), num_rows, 19);
    const auto& level = levels.at(tool.at("noise"));
    GoldenNoise noise(tool.at("seed").get<std::uint64_t>());
    const int first[] = {4, 7, 13, 16};  // al, a, f, n
    for (Eigen::Index i = 0; i < num_rows; ++i)
      for (int group = 0; group < 4; ++group)
        for (int axis = 0; axis < 3; ++axis) {
          const double added = level[static_cast<std::size_t>(group)] * noise.normal();
          rows(i, first[group] + axis) += added;
          if (i == 0) {
            EXPECT_NEAR(added,
                        tool.at("first_noise_row")[static_cast<std::size_t>(3 * group + axis)],
                        1e-12)
                << where;
          }
        }
    const WrenchSamples samples = samples_of(rows);
    expect_answers(samples, body_of(tool.at("prior")), tool.at("expected"), 1e-8, where);
    const PayloadShape shape = shape_of(
        tool.at("points"), [&](std::size_t i) { return tool.at("volumes")[i].get<double>(); });
    expect_point_masses(samples, rows.middleCols(10, 3), shape, tool.at("expected").at("pmd"),
                        where);
  }
  EXPECT_LE(above_, 4) << "golden answers above our bound";
}

}  // namespace
}  // namespace heft
