// The program behind run.py: bench_charts speed [seconds] | ellipsoid | solve GOLDEN | payloads
// FILE. Prints JSON.
//
//   speed       charts a second on one thread: parameters, points, J'g and written-out Jacobians of
//               many bodies at a time;
//               the middle of several runs
//   solve       the plain problems of golden/sdp on every chart: objective above the certified
//               optimum, iterations, time
//   payloads    the same of the problems that payloads.py writes
//   ellipsoid   the bodies of [Wensing, Kim, Slotine 2018] Fig. 3 with their margins and masses
//               that make them
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "bench/timing.hpp"
#include "charts/ellipsoid.hpp"
#include "heft/charts/chart.hpp"
#include "heft/solve/prior.hpp"
#include "heft/solve/problem.hpp"
#include "heft/solve/solve.hpp"
#include "tests/solve/golden_sdp.hpp"

namespace {

using namespace heft;
using Json = nlohmann::ordered_json;

/// Bodies of five random point masses, a row each.
Eigen::ArrayXXd random_bodies(int count) {
  std::mt19937_64 engine(1);
  std::normal_distribution<double> normal;
  Eigen::ArrayXXd bodies(count, 10);
  for (int i = 0; i < count; ++i) {
    BodyParameters pi = BodyParameters::Zero();
    for (int k = 0; k < 5; ++k) {
      const Eigen::Vector3d place{0.2 * normal(engine), 0.2 * normal(engine), 0.2 * normal(engine)};
      pi += parameters_about_origin(1 + k, place, Eigen::Matrix3d::Zero());
    }
    bodies.row(i) = pi.transpose();
  }
  return bodies;
}

/// Bodies a second of a function of `count` bodies: the middle of nine runs.
template <class Function>
double rate(int count, double seconds, const Function& function) {
  std::vector<double> rates;
  for (int run = 0; run < 9; ++run) {
    const double begin = bench::thread_microseconds();
    double end = begin;
    long long calls = 0;
    do {
      function();
      ++calls;
      end = bench::thread_microseconds();
    } while (end - begin < 1e6 * seconds / 9);
    rates.push_back(1e6 * static_cast<double>(calls) * count / (end - begin));
  }
  return bench::median(rates);
}

Json speed(double seconds) {
  Json rows = Json::array();
  for (const auto& kind : EnumNames<ChartKind>::kList)
    for (const int count : {256, 65536}) {
      const Eigen::ArrayXXd bodies = random_bodies(count);
      const BodyChart chart =
          *BodyChart::make(kind.value, BodyParameters(bodies.row(0).transpose()));
      Eigen::ArrayXXd points, parameters, gradients;
      Eigen::MatrixXd jacobians;
      chart.points(bodies, points);
      const auto add = [&](const char* what, double value) {
        rows.push_back(
            {{"chart", kind.name}, {"bodies", count}, {"what", what}, {"per_second", value}});
      };
      add("parameters", rate(count, seconds, [&] { chart.parameters(points, parameters); }));
      add("points", rate(count, seconds, [&] { chart.points(bodies, points); }));
      add("gradients", rate(count, seconds, [&] { chart.gradients(points, bodies, gradients); }));
      add("jacobians", rate(count, seconds, [&] { chart.jacobians(points, jacobians); }));
    }
  return rows;
}

Json ellipsoid() {
  const Eigen::Vector3d semi_axes(std::sqrt(5.0), std::sqrt(2.0), 1);
  const Eigen::Matrix4d Q = ellipsoid_matrix(Eigen::Vector3d::Zero(), semi_axes);
  Json bodies = Json::array();
  for (int axis = 0; axis < 3; ++axis) {
    Eigen::Vector3d squares = Eigen::Vector3d::Constant(0.2);
    squares[axis] = 0.9;
    const Eigen::Vector3d I(squares.y() + squares.z(), squares.x() + squares.z(),
                            squares.x() + squares.y());
    const BodyParameters body = parameters_about_origin(1, Eigen::Vector3d::Zero(), I.asDiagonal());
    Json masses = Json::array();
    if (const auto within = masses_within(body, Q))
      for (const PointMass& p : *within)
        masses.push_back(
            {{"mass", p.mass}, {"place", std::vector<double>(p.place.begin(), p.place.end())}});
    bodies.push_back({{"covariance", std::vector<double>(squares.begin(), squares.end())},
                      {"margin", ellipsoid_margin(body, Q)},
                      {"masses", masses}});
  }
  return {{"semi_axes", std::vector<double>(semi_axes.begin(), semi_axes.end())},
          {"bodies", bodies}};
}

/// Appends what every chart makes of a problem, beside the certified answer; least_margin: of a
/// body, relative to its prior.
void solve_on_charts(const std::string& name, const Problem& problem, const SolveOptions& options,
                     Json& rows) {
  const double begin = bench::thread_microseconds();
  const Solution solution = *solve(problem, options);
  const double convex_us = bench::thread_microseconds() - begin;
  const Certificate certificate = certify(problem, solution);
  double least = 1;
  for (std::size_t i = 0; i < certificate.psd_margin.size(); ++i)
    if (!problem.prior.held[i]) least = std::min(least, certificate.psd_margin[i]);
  for (const auto& kind : EnumNames<ChartKind>::kList) {
    const double start = bench::thread_microseconds();
    const ChartSolution found = *solve_on_chart(problem, {.chart = kind.value});
    rows.push_back({{"problem", name},
                    {"bodies", problem.layout.num_bodies()},
                    {"chart", kind.name},
                    {"certified", certificate.certified},
                    {"objective", certificate.primal},
                    {"least_margin", least},
                    {"above", (found.objective - certificate.primal) / certificate.primal},
                    {"is_on_boundary", found.is_on_boundary},
                    {"converged", found.converged},
                    {"iterations", found.iterations},
                    {"us", bench::thread_microseconds() - start},
                    {"convex_us", convex_us}});
  }
}

/// The golden problems that a chart knows, each with its own weight of the prior and with ten and a
/// hundred times that.
Json solved(const std::string& golden) {
  Json rows = Json::array();
  auto problems = test::real_problems(golden);
  for (auto& problem : test::synthetic_problems(golden)) problems.push_back(std::move(problem));
  for (auto& problem : problems) {
    if (problem.infeasible) continue;
    const double weight = problem.prior.weight;
    for (const double factor : {1.0, 10.0, 100.0}) {
      problem.prior.weight = factor * weight;
      const Problem made = test::make(problem);
      if (!solve_on_chart(made, {.max_iterations = 1})) continue;
      solve_on_charts(
          problem.name + (factor > 1 ? " x " + std::to_string(static_cast<int>(factor)) : ""), made,
          {}, rows);
    }
  }
  return rows;
}

/// Problems of one body, as payloads.py writes them.
Json solved_payloads(const std::string& path) {
  Json rows = Json::array();
  std::ifstream file(path);
  const ParameterLayout layout{.bodies = {"payload"}, .body_index = {0}, .columns = {}};
  for (const Json& json : Json::parse(file)) {
    NormalEquations equations{.G = Eigen::MatrixXd(10, 10),
                              .b = Eigen::VectorXd(10),
                              .tau2 = json.at("tau2"),
                              .num_rows = json.at("rows")};
    BodyParameters prior;
    for (int i = 0; i < 10; ++i) {
      prior[i] = json.at("prior")[i], equations.b[i] = json.at("b")[i];
      for (int j = 0; j < 10; ++j) equations.G(i, j) = json.at("G")[i][j];
    }
    const auto made = make_prior(
        layout, {prior}, {.kind = PriorKind::metric, .weight = json.at("weight"), .ridge = 0});
    const auto problem = make_problem(layout, equations, *made, Constraints{.margin = 0});
    // ten numbers: a few more steps to all digits
    solve_on_charts(json.at("name"), *problem,
                    {.method = SolveMethod::interior_point,
                     .gap_tolerance = 1e-12,
                     .violation_tolerance = 1e-12},
                    rows);
    for (auto row = rows.end() - std::ssize(EnumNames<ChartKind>::kList); row != rows.end(); ++row)
      (*row)["golden"] = json.at("objective");
  }
  return rows;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "speed")
    std::puts(speed(argc > 2 ? std::atof(argv[2]) : 0.5).dump(1).c_str());
  else if (what == "ellipsoid")
    std::puts(ellipsoid().dump(1).c_str());
  else if (what == "solve" && argc > 2)
    std::puts(solved(argv[2]).dump(1).c_str());
  else if (what == "payloads" && argc > 2)
    std::puts(solved_payloads(argv[2]).dump(1).c_str());
  else
    return std::fputs("bench_charts speed [seconds] | ellipsoid | solve GOLDEN | payloads FILE\n",
                      stderr),
           1;
  return 0;
}
