// Point-mass discretisation against answers of an interior-point solver of cones on all rows, to the tolerances that their file states.
#include "payload/point_masses.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "host/payload/rows.hpp"
#include "tests/oracle/golden.hpp"

namespace heft::payload {
namespace {

TEST(PointMasses, GoldenAnswers) {
  const auto folder = oracle::golden_directory();
  if (!folder || !std::filesystem::is_directory(*folder / "payload")) GTEST_SKIP() << oracle::kNoGolden;
  const nlohmann::json golden = oracle::read_json(*folder / "payload" / "payload_sim.json");
  PointMassProblem problem;
  const auto& points = golden.at("points");
  problem.B.resize(10, static_cast<Eigen::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Eigen::Vector3d p(points[i][0], points[i][1], points[i][2]);
    problem.B.col(static_cast<Eigen::Index>(i)) = parameters_about_origin(1, p, Eigen::Matrix3d::Zero());
  }
  int steps = 0;
  for (const auto& set : golden.at("sets")) {
    problem.at_rest.setZero(), problem.moving.setZero();
    for (const auto& row : set.at("data")) {
      const auto vector = [&](std::size_t k) { return Eigen::Vector3d(row[k], row[k + 1], row[k + 2]); };
      const Eigen::Vector3d w = vector(1), wd = vector(4), a = vector(7), g = vector(10);
      const double nu = a.squaredNorm() + wd.squaredNorm() + w.squaredNorm() / 0.25,
                   share = std::tanh(3 * nu / 300);
      Eigen::Array<double, 1, WrenchSamples::kNumMotion> motion, rest;
      const Eigen::Vector3d u = a - g;
      motion << u.x(), u.y(), u.z(), wd.x(), wd.y(), wd.z(), w.x() * w.x(), w.x() * w.y(), w.y() * w.y(),
          w.x() * w.z(), w.y() * w.z(), w.z() * w.z();
      rest.setZero();
      rest.head<3>() = -g.transpose().array();
      Eigen::Matrix<double, 6, 11> full, still;
      full.leftCols<10>() = rows_of(motion), still.leftCols<10>() = rows_of(rest);
      full.col(10) << vector(13), vector(16);
      still.col(10) = full.col(10);
      problem.moving += share * share * full.transpose() * full;
      problem.at_rest += (1 - share) * (1 - share) * still.transpose() * still;
    }
    const auto& expected = set.at("expected").at("pmd");
    const PointMassSolution found = solve_point_masses(problem);
    const std::string where = set.at("object").get<std::string>();
    EXPECT_TRUE(found.converged) << where << " gap " << (found.objective - found.bound) / found.objective;
    const double objective = expected.at("objective");
    EXPECT_LE(found.objective, objective * (1 + 1e-9)) << where;
    EXPECT_LE(found.bound, objective * (1 + 1e-12)) << where;
    BodyParameters x;
    for (int k = 0; k < 10; ++k) x[k] = expected.at("pi")[static_cast<std::size_t>(k)];
    EXPECT_LE((found.x - x).cwiseAbs().maxCoeff(), 1e-6 * x.cwiseAbs().maxCoeff()) << where;
    EXPECT_GE(found.masses.minCoeff(), 0);
    steps = std::max(steps, found.steps);
  }
  EXPECT_LT(steps, 60);
  RecordProperty("steps", steps);
}

}  // namespace
}  // namespace heft::payload
