#include "golden_sdp.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "npz.hpp"

namespace heft::test {

namespace {

using Json = nlohmann::json;

// The reference lets bodies touch the boundary of the cone, where no Cholesky can prove them
// possible. This keeps them off it and moves the objective by 1e-8 tr(S), a few 1e-10 of it.
constexpr double kMargin = 1e-8;

Json read_json(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path);
  return Json::parse(file);
}

Eigen::VectorXd vector_of(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

// symmetric 4x4 from its upper triangle, row by row
Eigen::Matrix4d from_upper(const double* upper) {
  Eigen::Matrix4d M;
  for (int row = 0; row < 4; ++row) {
    for (int column = row; column < 4; ++column) M(row, column) = M(column, row) = *upper++;
  }
  return M;
}

ParameterLayout layout_of(int num_bodies, int num_parameters, const std::vector<int>& nonnegative) {
  ParameterLayout layout;
  for (int body = 0; body < num_bodies; ++body) {
    layout.bodies.push_back("body_" + std::to_string(body));
    layout.body_index.push_back(body);
  }
  for (int k = 10 * num_bodies; k < num_parameters; ++k) {
    Column column;
    column.name = "column_" + std::to_string(k);
    column.nonnegative = std::find(nonnegative.begin(), nonnegative.end(), k) != nonnegative.end();
    layout.columns.push_back(column);
  }
  return layout;
}

PriorOptions prior_of(const Json& problem) {
  PriorOptions prior;
  prior.ridge = 0;
  prior.weight = problem.at("weight");
  const std::string kind = problem.at("prior");
  prior.kind = kind == "metric"     ? PriorKind::metric
               : kind == "entropic" ? PriorKind::entropic
               : kind == "euclid"   ? PriorKind::euclidean
                                    : PriorKind::none;
  return prior;
}

void read_answer(const Json& problem, GoldenProblem& golden) {
  golden.objective = problem.at("objective");
  golden.prior_term = problem.at("prior_term");
  golden.x_unique = problem.at("x_unique");
  golden.attained = problem.value("attained", true);
}

LinearConstraint linear_of(const Json& entry, std::string name, bool equality) {
  LinearConstraint row;
  row.name = std::move(name);
  for (const auto& term : entry.at(0))
    row.terms.emplace_back(term.at(0).get<int>(), term.at(1).get<double>());
  row.lower = entry.at(1);
  if (equality) row.upper = row.lower;
  return row;
}

void read_infeasibility(const Json& problem, GoldenProblem& golden) {
  golden.infeasible = true;
  const Json& farkas = problem.at("farkas");
  std::size_t k = 0;
  for (const auto& entry : problem.at("inequalities")) {
    golden.constraints.linear.push_back(linear_of(entry, "inequality_" + std::to_string(k), false));
    if (farkas.at("inequality_multipliers").at(k++).get<double>() > 0) {
      golden.conflicts.push_back(golden.constraints.linear.back().name);
    }
  }
}

}  // namespace

std::string golden_directory() {
  const char* variable = std::getenv("HEFT_GOLDEN");
  const std::string directory = variable ? variable : HEFT_GOLDEN_DEFAULT;
  return std::filesystem::exists(directory + "/sdp") ? directory : "";
}

std::vector<GoldenProblem> real_problems(const std::string& directory) {
  std::vector<GoldenProblem> problems;
  for (const std::string set : {"staubli_tx40", "kuka_kr300_AB", "kuka_kr300_A", "franka_panda"}) {
    const Json json = read_json(directory + "/sdp/" + set + ".json");
    const int num_bodies = json["size"]["bodies"], P = json["size"]["parameters"];

    GoldenProblem common;
    common.layout = layout_of(num_bodies, P, json["nonnegative"]);
    common.rank = json["size"]["rank"];
    common.equations.G.resize(P, P);
    auto entry = json["Q_upper"].begin();
    for (int row = 0; row < P; ++row) {
      for (int column = row; column < P; ++column, ++entry) {
        common.equations.G(row, column) = common.equations.G(column, row) = *entry;
      }
    }
    common.equations.b = vector_of(json["b"]);
    common.equations.tau2 = json["tau2"];
    common.equations.num_rows = json["size"]["rows"];
    for (const auto& reference : json["prior"]) common.references.push_back(vector_of(reference));
    common.constraints.margin = kMargin;

    for (const auto& [name, problem] : json["problems"].items()) {
      GoldenProblem golden = common;
      golden.name = set + "/" + name;
      golden.prior = prior_of(problem);
      const bool ellipsoids = problem.at("ellipsoids"), masses = problem.at("masses");
      golden.has_extra_constraints = ellipsoids || masses;
      for (int body = 0; body < num_bodies; ++body) {
        if (ellipsoids) {
          const std::vector<double> E = json["ellipsoids"][body];
          golden.constraints.volumes.push_back({body, {from_upper(E.data())}});
        }
        if (masses) {
          const auto& bounds = json["mass_bounds"][body];
          golden.constraints.linear.push_back(
              mass_bounds(golden.layout, body, bounds[0], bounds[1]));
        }
      }
      read_answer(problem, golden);
      golden.x = vector_of(problem["x"]);
      problems.push_back(std::move(golden));
    }
  }
  return problems;
}

std::vector<GoldenProblem> synthetic_problems(const std::string& directory) {
  const Json json = read_json(directory + "/sdp/synthetic.json");
  const auto arrays = read_npz(directory + "/sdp/synthetic.npz");

  std::vector<GoldenProblem> problems;
  for (const auto& [name, problem] : json["problems"].items()) {
    const std::string set = problem["data"];
    const Json& facts = json["data"][set];
    const int num_bodies = facts["bodies"], P = facts["parameters"];

    GoldenProblem golden;
    golden.name = name;
    golden.layout = layout_of(num_bodies, P, facts["nonnegative"]);
    golden.rank = facts["rank"];
    const NpyArray& R = arrays.at(set + ".R");
    const Eigen::MatrixXd factor = Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(
        R.values.data(), static_cast<Eigen::Index>(R.shape[0]),
        static_cast<Eigen::Index>(R.shape[1]));
    const Eigen::VectorXd z = vector_of(arrays.at(set + ".z").values);
    golden.equations.G = factor.transpose() * factor;
    golden.equations.b = factor.transpose() * z;
    golden.equations.tau2 = z.squaredNorm() + facts["rho2"].get<double>();
    golden.equations.num_rows = facts["rows"];
    for (int body = 0; body < num_bodies; ++body) {
      golden.references.push_back(
          Eigen::Map<const BodyParameters>(arrays.at(set + ".prior").row(body)));
    }
    golden.prior = prior_of(problem);
    golden.constraints.margin = kMargin;

    const auto optional = [&](const char* key) -> const NpyArray* {
      const auto found = arrays.find(golden.name + "." + key);
      return found == arrays.end() ? nullptr : &found->second;
    };
    for (int body = 0; body < num_bodies; ++body) {
      if (const auto* E = optional("ellipsoids"))
        golden.constraints.volumes.push_back({body, {from_upper(E->row(body))}});
      if (const auto* bounds = optional("mass_bounds")) {
        golden.constraints.linear.push_back(
            mass_bounds(golden.layout, body, bounds->row(body)[0], bounds->row(body)[1]));
      }
      if (const auto* box = optional("com_box")) {
        const Eigen::Map<const Eigen::Vector3d> lower(box->row(body)), upper(box->row(body) + 3);
        for (auto& row : com_box(golden.layout, body, lower, upper))
          golden.constraints.linear.push_back(std::move(row));
      }
    }
    golden.has_extra_constraints =
        !golden.constraints.volumes.empty() || !golden.constraints.linear.empty();
    for (const auto& equality : problem["equalities"]) {
      const auto k = golden.constraints.linear.size();
      golden.constraints.linear.push_back(
          linear_of(equality, "equality_" + std::to_string(k), true));
    }
    if (problem["status"] == "infeasible") {
      read_infeasibility(problem, golden);
    } else {
      read_answer(problem, golden);
      golden.x = vector_of(arrays.at(name + ".x").values);
    }
    problems.push_back(std::move(golden));
  }
  return problems;
}

Problem make(const GoldenProblem& golden) {
  auto prior = make_prior(golden.layout, golden.references, golden.prior);
  if (!prior) throw std::runtime_error(golden.name + ": " + prior.error().message());
  if (!prior->repairs.empty())
    throw std::runtime_error(golden.name + ": a reference prior was replaced");
  auto problem = make_problem(golden.layout, golden.equations, *prior, golden.constraints);
  if (!problem) throw std::runtime_error(golden.name + ": " + problem.error().message());
  return *problem;
}

}  // namespace heft::test
