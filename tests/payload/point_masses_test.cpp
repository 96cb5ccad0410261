// Point-mass discretisation compared with results of an interior-point solver of cones on all rows,
// to the tolerances that their file states.
#include "payload/point_masses.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/parallel_for.hpp"
#include "executor/instruction_sets.hpp"
#include "host/applications/payload/sums/rows.hpp"
#include "linalg/factorizations.hpp"
#include "payload/point_kernels.hpp"
#include "tests/oracle/golden.hpp"
#include "tests/oracle/random.hpp"

namespace heft::payload {
namespace {

TEST(PointMasses, GoldenAnswers) {
  const auto folder = oracle::golden_directory();
  if (!folder || !std::filesystem::is_directory(*folder / "payload"))
    GTEST_SKIP() << oracle::kNoGolden;
  const nlohmann::json golden = oracle::read_json(*folder / "payload" / "payload_sim.json");
  PointMassProblem problem;
  const auto& points = golden.at("points");
  problem.B.resize(10, static_cast<Eigen::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Eigen::Vector3d p(points[i][0], points[i][1], points[i][2]);
    problem.B.col(static_cast<Eigen::Index>(i)) =
        parameters_about_origin(1, p, Eigen::Matrix3d::Zero());
  }
  int steps = 0;
  for (const auto& set : golden.at("sets")) {
    problem.at_rest.setZero(), problem.moving.setZero();
    for (const auto& row : set.at("data")) {
      const auto vector = [&](std::size_t k) {
        return Eigen::Vector3d(row[k], row[k + 1], row[k + 2]);
      };
      const Eigen::Vector3d w = vector(1), wd = vector(4), a = vector(7), g = vector(10);
      const double nu = a.squaredNorm() + wd.squaredNorm() + w.squaredNorm() / 0.25,
                   share = std::tanh(3 * nu / 300);
      Eigen::Array<double, 1, WrenchSamples::kNumMotion> motion, rest;
      const Eigen::Vector3d u = a - g;
      motion << u.x(), u.y(), u.z(), wd.x(), wd.y(), wd.z(), w.x() * w.x(), w.x() * w.y(),
          w.y() * w.y(), w.x() * w.z(), w.y() * w.z(), w.z() * w.z();
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
    EXPECT_TRUE(found.converged) << where << " gap "
                                 << (found.objective - found.bound) / found.objective;
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

/// Objective by its definition, of rows R with R'R = [A b]'[A b].
double objective_of(const PointMassProblem& problem, const Eigen::VectorXd& masses) {
  Eigen::Matrix<double, 11, 1> v;
  v << problem.B * masses, -1;
  return std::sqrt(v.dot(problem.at_rest * v)) + std::sqrt(v.dot(problem.moving * v)) +
         problem.lambda * masses.norm();
}

PointMassProblem random_problem(oracle::Random& random, int points) {
  PointMassProblem problem;
  problem.B.resize(10, points);
  for (int i = 0; i < points; ++i)
    problem.B.col(i) =
        parameters_about_origin(1, 0.1 * random.normal_vector(3), Eigen::Matrix3d::Zero());
  const BodyParameters truth = problem.B * Eigen::VectorXd::Constant(points, 1.5 / points);
  for (Matrix11d* gram : {&problem.at_rest, &problem.moving}) {
    Eigen::MatrixXd rows(60, 11);
    for (double& r : rows.reshaped()) r = random.normal();
    rows.col(10) = rows.leftCols<10>() * truth + 0.05 * random.normal_vector(60);
    *gram = rows.transpose() * rows;
  }
  return problem;
}

TEST(PointMasses, KeepToLimitsAndNoneThatDoIsBetter) {
  oracle::Random random(41);
  for (int trial = 0; trial < 10; ++trial) {
    PointMassProblem problem = random_problem(random, 40);
    const PointMassSolution free = solve_point_masses(problem);
    // a mass that is known, and a center of mass that is farther along x than the free one's
    PointMassLimit mass{.lower = 1.2 * free.x[0], .upper = 1.2 * free.x[0]}, side{.lower = 0};
    mass.row[0] = 1;
    side.row[1] = 1, side.row[0] = -(free.x[1] / free.x[0] + 0.01);
    problem.limits = {mass, side};
    const PointMassSolution found = solve_point_masses(problem);
    ASSERT_TRUE(found.converged) << found.objective - found.bound;
    EXPECT_NEAR(found.x[0], mass.lower, 1e-8 * mass.lower);
    EXPECT_GE(side.row.dot(found.x), -1e-8);
    EXPECT_GE(found.masses.minCoeff(), 0);
    EXPECT_NEAR(found.objective, objective_of(problem, found.masses), 1e-9 * found.objective);
    EXPECT_GT(found.objective, free.objective);
    // moves that keep both: mass from one point to others, so that side'x does not fall
    Eigen::Matrix<double, 2, Eigen::Dynamic> E(2, 40);
    E << mass.row.transpose() * problem.B, side.row.transpose() * problem.B;
    for (int k = 0; k < 200; ++k) {
      Eigen::VectorXd way = random.normal_vector(40);
      for (Eigen::Index i = 0; i < 40; ++i)
        if (found.masses[i] < 1e-9) way[i] = std::abs(way[i]);
      // back onto the limits, over the points that have mass to give
      const Eigen::VectorXd can = (found.masses.array() > 1e-6).cast<double>();
      const Eigen::MatrixXd EC = E * can.asDiagonal();
      way -= can.asDiagonal() * E.transpose() *
             Eigen::MatrixXd(EC * E.transpose()).ldlt().solve(Eigen::VectorXd(E * way));
      const double step = 1e-3 * found.masses.maxCoeff() / way.cwiseAbs().maxCoeff();
      const Eigen::VectorXd there = found.masses + step * way;
      if (there.minCoeff() < 0) continue;
      EXPECT_GE(objective_of(problem, there), found.objective * (1 - 1e-9));
    }
  }
}

TEST(PointMasses, LimitsThatNoMassesKeepDoNotConverge) {
  oracle::Random random(42);
  PointMassProblem problem = random_problem(random, 20);
  PointMassLimit far{.lower = 0};
  far.row[1] = 1, far.row[0] = -5;              // a center of mass 5 m along x, where no point is
  PointMassLimit mass{.lower = 1, .upper = 1};  // masses of nothing would keep to the other
  mass.row[0] = 1;
  problem.limits = {far, mass};
  EXPECT_FALSE(solve_point_masses(problem).converged);
}

std::vector<const PointKernels*> available_kernels() {
  std::vector<const PointKernels*> all;
  for (const InstructionSet set : available_instruction_sets()) {
#if defined(__x86_64__)
    if (set == InstructionSet::avx512) all.push_back(&kAvx512Points);
    if (set == InstructionSet::avx2) all.push_back(&kAvx2Points);
#endif
    if (set == InstructionSet::baseline) all.push_back(&kBaselinePoints);
  }
  return all;
}

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

TEST(PointMasses, KernelsOfAllInstructionSetsSumOverPoints) {
  oracle::Random random(31);
  const auto near = [](const Eigen::MatrixXd& ours, const Eigen::MatrixXd& theirs,
                       const char* what) {
    EXPECT_LE((ours - theirs).cwiseAbs().maxCoeff(), 1e-13 * theirs.cwiseAbs().maxCoeff()) << what;
  };
  for (const int n : {8, 16, 104}) {
    RowMajor B(10, n), N(10, kStride), H = RowMajor::Zero(11, kStride), K(11, kStride);
    for (double& b : B.reshaped()) b = random.normal();
    for (int r = 0; r < 10; ++r)
      for (int c = 0; c < 10; ++c) H(r, c) = random.normal();
    const Eigen::VectorXd y = random.normal_vector(10), right = random.normal_vector(11);
    const Eigen::VectorXd pulled = (-B.transpose() * y).cwiseMax(0);
    const Eigen::MatrixXd active =
        B * (pulled.array() > 0).cast<double>().matrix().asDiagonal() * B.transpose();
    for (const PointKernels* kernels : available_kernels()) {
      Eigen::VectorXd p = Eigen::VectorXd::Constant(n, NAN),
                      Bp = Eigen::VectorXd::Constant(10, NAN), x = Bp;
      EXPECT_NEAR(kernels->pull(B.data(), n, y.data(), p.data(), Bp.data()), pulled.squaredNorm(),
                  1e-13 * pulled.squaredNorm());
      near(p, pulled, "pull"), near(Bp, B * pulled, "image of the pull");
      kernels->image(B.data(), n, pulled.data(), x.data());
      near(x, B * pulled, "image");
      N.setConstant(NAN), K.setConstant(NAN);
      kernels->active_product(B.data(), n, pulled.data(), N.data());
      near(N.leftCols(10), active, "active product");
      kernels->one_plus_product(0.7, N.data(), H.data(), K.data());
      const Eigen::MatrixXd system =
          Eigen::MatrixXd::Identity(10, 10) + 0.7 * active * H.topLeftCorner(10, 10);
      near(K.topLeftCorner(10, 10), system, "one plus product");
      Eigen::VectorXd sum = Eigen::VectorXd::Constant(n, NAN);
      kernels->combine(10, n, B.data(), y.data(), sum.data());
      near(sum, B.transpose() * y, "combine");
    }
  }
}

TEST(PointMasses, KernelsSolveWithPivotsAndSeeSingularSystems) {
  oracle::Random random(32);
  for (const int size : {10, 11})
    for (const PointKernels* kernels : available_kernels()) {
      RowMajor K = RowMajor::Constant(11, kStride, NAN);
      for (int r = 0; r < size; ++r)
        for (int c = 0; c < size; ++c)
          K(r, c) = r == c ? 0 : random.normal();  // without pivots it would end at once
      const Eigen::MatrixXd A = K.topLeftCorner(size, size);
      const Eigen::VectorXd right = random.normal_vector(size);
      Eigen::VectorXd x = right;
      ASSERT_TRUE(kernels->solve(size, K.data(), x.data()));
      EXPECT_LE((A * x - right).norm(), 1e-12 * A.norm() * x.norm());
      RowMajor zero = RowMajor::Zero(11, kStride);
      x = right;
      EXPECT_FALSE(kernels->solve(size, zero.data(), x.data()));
    }
}

TEST(PointMasses, SideBySideAreThoseOneByOne) {
  oracle::Random random(33);
  std::vector<PointMassProblem> problems;
  for (const int points : {1, 7, 40, 96}) {
    Eigen::MatrixXd rows(40, 11), still(40, 11);
    for (double& number : rows.reshaped()) number = random.normal();
    for (double& number : still.reshaped()) number = random.normal();
    PointMassProblem problem{.at_rest = still.transpose() * still,
                             .moving = rows.transpose() * rows};
    problem.B.resize(10, points);
    for (int i = 0; i < points; ++i)
      problem.B.col(i) =
          parameters_about_origin(1, 0.1 * random.normal3(), Eigen::Matrix3d::Zero());
    problems.push_back(problem);
  }
  for (const int threads : {1, 3}) {
    std::vector<PointMassSolution> solutions(problems.size());
    parallel_for(std::ssize(problems), threads, [&](std::int64_t k, int) {
      solutions[static_cast<std::size_t>(k)] =
          solve_point_masses(problems[static_cast<std::size_t>(k)]);
    });
    for (std::size_t k = 0; k < problems.size(); ++k) {
      const PointMassSolution alone = solve_point_masses(problems[k]);
      EXPECT_EQ(solutions[k].masses, alone.masses);
      EXPECT_EQ(solutions[k].masses.size(), problems[k].B.cols());
      EXPECT_LE(solutions[k].bound, solutions[k].objective);
      EXPECT_LE((problems[k].B * alone.masses - alone.x).cwiseAbs().maxCoeff(),
                1e-12 * (1 + alone.x.norm()));
    }
  }
}

}  // namespace
}  // namespace heft::payload
