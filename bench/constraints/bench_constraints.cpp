// Solves the problems of a file written by leg.py with every prior and constraint that leg.py names, and prints
// the answers as JSON, one list of parameters per problem and variant.
//
// File: int32 {bodies, columns, count}; prior (bodies x 10); ellipsoids (bodies x 16); then per problem
// {rows, tau2}, G (P x P), b (P). All numbers are float64 unless said.
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

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

std::int32_t read_count(std::istream& file) {
  std::int32_t value = 0;
  if (!file.read(reinterpret_cast<char*>(&value), sizeof value)) throw std::runtime_error("file ends early");
  return value;
}

Eigen::MatrixXd read_matrix(std::istream& file, Eigen::Index rows, Eigen::Index columns) {
  Eigen::Matrix<double, -1, -1, Eigen::RowMajor> matrix(rows, columns);
  file.read(reinterpret_cast<char*>(matrix.data()), static_cast<std::streamsize>(8 * rows * columns));
  if (!file) throw std::runtime_error("file ends early");
  return matrix;
}

ParameterLayout make_layout(int bodies, int columns) {
  ParameterLayout layout;
  for (int i = 0; i < bodies; ++i) {
    layout.bodies.push_back(fmt::format("body_{}", i));
    layout.body_index.push_back(i);
  }
  for (int k = 0; k < columns; ++k) {
    layout.columns.emplace_back();
    layout.columns.back().name = fmt::format("column_{}", k);
    layout.columns.back().nonnegative = true;
  }
  return layout;
}

// the answer's parameters, or an empty list where there is none
std::string answer(const ParameterLayout& layout, const NormalEquations& equations, const Variant& variant,
                   const std::vector<BodyParameters>& references, const Eigen::MatrixXd& ellipsoids) {
  PriorOptions options;
  options.kind = variant.prior;
  Constraints constraints;
  constraints.consistency = variant.consistency;
  for (int body = 0; variant.ellipsoids && body < layout.num_bodies(); ++body) {
    const Eigen::Matrix<double, 16, 1> E = ellipsoids.row(body).transpose();
    constraints.volumes.push_back({body, {Eigen::Map<const Eigen::Matrix4d>(E.data())}});
  }
  const auto prior = make_prior(layout, references, options);
  if (!prior) throw std::runtime_error(prior.error().message());
  const auto problem = make_problem(layout, equations, *prior, constraints);
  if (!problem) throw std::runtime_error(problem.error().message());
  const auto solution = solve(*problem);
  if (!solution) throw std::runtime_error(solution.error().message());
  std::string numbers;
  if (solution->status == SolveStatus::optimal || solution->status == SolveStatus::inaccurate) {
    for (int k = 0; k < layout.num_parameters(); ++k)
      numbers += fmt::format("{}{}", k ? "," : "", solution->x[k]);
  } else {
    fmt::print(stderr, "{}: {}\n", variant.name, solution->reason);
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
    std::ifstream file(argv[1], std::ios::binary);
    const int bodies = read_count(file), columns = read_count(file), count = read_count(file);
    const ParameterLayout layout = make_layout(bodies, columns);
    const Eigen::MatrixXd prior = read_matrix(file, bodies, 10), ellipsoids = read_matrix(file, bodies, 16);
    std::vector<BodyParameters> references;
    for (int i = 0; i < bodies; ++i) references.push_back(prior.row(i).transpose());
    fmt::print("[");
    for (int k = 0; k < count; ++k) {
      const int P = layout.num_parameters();
      NormalEquations equations;
      equations.num_rows = read_matrix(file, 1, 1)(0);
      equations.tau2 = read_matrix(file, 1, 1)(0);
      equations.G = read_matrix(file, P, P);
      equations.b = read_matrix(file, P, 1);
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
