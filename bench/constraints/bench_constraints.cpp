// Solves the problems of a file written by leg.py with every prior and constraint that leg.py
// names, and prints the answers as JSON, one list of parameters per problem and variant.
//
// File: int32 {bodies, columns, count}; prior (bodies x 10); ellipsoids (bodies x 16); then per
// problem {rows, tau2}, G (P x P), b (P). All numbers are float64 unless said.
#include <fmt/format.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/problem_file.hpp"
#include "heft/solve/solve.hpp"

namespace {

using namespace heft;

struct Variant {
  const char* name;
  PriorKind prior;
  Consistency consistency;
  bool ellipsoids;
};

constexpr Variant kVariants[] = {
    {"no prior, no constraint", PriorKind::none, Consistency::none, false},
    {"no prior, semi-consistency", PriorKind::none, Consistency::semi, false},
    {"no prior, full consistency", PriorKind::none, Consistency::full, false},
    {"no prior, full, ellipsoids", PriorKind::none, Consistency::full, true},
    {"Euclidean prior, full", PriorKind::euclidean, Consistency::full, false},
    {"diagonal prior, full", PriorKind::diagonal, Consistency::full, false},
    {"metric prior, full", PriorKind::metric, Consistency::full, false},
    {"entropic prior, full", PriorKind::entropic, Consistency::full, false},
};

// the answer's parameters, or an empty list where there is none
std::string answer(const ParameterLayout& layout, const NormalEquations& equations,
                   const Variant& variant, const std::vector<BodyParameters>& references,
                   const Eigen::MatrixXd& ellipsoids) {
  PriorOptions options;
  options.kind = variant.prior;
  Constraints constraints;
  constraints.consistency = variant.consistency;
  for (int body = 0; variant.ellipsoids && body < layout.num_bodies(); ++body) {
    constraints.volumes.push_back({body, {bench::ellipsoid_of(ellipsoids, body)}});
  }
  const Prior prior = bench::value_or_throw(make_prior(layout, references, options));
  const Problem problem =
      bench::value_or_throw(make_problem(layout, equations, prior, constraints));
  const Solution solution = bench::value_or_throw(solve(problem));
  std::string numbers;
  if (solution.status == SolveStatus::optimal || solution.status == SolveStatus::inaccurate) {
    for (int k = 0; k < layout.num_parameters(); ++k)
      numbers += fmt::format("{}{}", k ? "," : "", solution.x[k]);
  } else {
    fmt::print(stderr, "{}: {}\n", variant.name, solution.reason);
  }
  return "[" + numbers + "]";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: bench_constraints problems.bin\n");
    return 2;
  }
  try {
    bench::ProblemFile file(argv[1]);
    const int bodies = file.integer(), columns = file.integer(), count = file.integer();
    const ParameterLayout layout = bench::layout_of(bodies, columns);
    const std::vector<BodyParameters> references = file.bodies(bodies);
    const Eigen::MatrixXd ellipsoids = file.matrix(bodies, 16);
    fmt::print("[");
    for (int k = 0; k < count; ++k) {
      NormalEquations equations;
      equations.num_rows = file.number();
      equations.tau2 = file.number();
      file.put_system(layout.num_parameters(), equations);
      fmt::print("{}{{", k ? "," : "");
      const char* separator = "";
      for (const Variant& variant : kVariants) {
        fmt::print("{}\"{}\":{}", separator, variant.name,
                   answer(layout, equations, variant, references, ellipsoids));
        separator = ",";
      }
      fmt::print("}}");
    }
    fmt::print("]\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_constraints: {}\n", error.what());
    return 1;
  }
  return 0;
}
