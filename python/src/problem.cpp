// Convex problems, single or in batches, each solution with its certificate.
#include "heft/solve/problem.hpp"

#include "arrays.hpp"
#include "errors.hpp"
#include "heft/app/identify_files.hpp"
#include "heft/config/module_options.hpp"
#include "heft/solve/least_squares.hpp"
#include "heft/solve/solve.hpp"
#include "heft/solve/solve_batch.hpp"
#include "long_call.hpp"

namespace heft::python {

namespace {

/// The problem that estimate() would solve.
Problem of_moments(const TrainingData& data, const Configuration& wanted) {
  const nb::gil_scoped_release released;
  const Configuration settled = unwrap(configuration_of(data, "moments"));
  const Configuration configuration = with_estimation_of(settled, wanted);
  const Setup setup = unwrap(setup_for(data, settled, configuration));
  const EstimationOptions options = estimation_options(configuration);
  const WeightedFit fit =
      unwrap(fit_weighted(data.moments, options.weighting_passes, options.rank_cut));
  return unwrap(make_problem(setup.plan().layout,
                             normal_equations(data.moments, fit.channel_weights), setup.prior,
                             setup.constraints));
}

Problem of_equations(const Matrix& G, const Vector& b, double tau2, double num_rows,
                     const std::vector<std::string>& bodies, const Matrix& references,
                     double prior_weight) {
  ParameterLayout layout{.bodies = bodies};
  std::vector<BodyParameters> inertias;
  const Eigen::MatrixXd rows = matrix_of(references);
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    layout.body_index.push_back(static_cast<int>(i));
    inertias.emplace_back(rows.row(i));
  }
  const Prior prior = unwrap(make_prior(layout, inertias, {.weight = prior_weight}));
  return unwrap(make_problem(
      layout, {.G = matrix_of(G), .b = vector_of(b), .tau2 = tau2, .num_rows = num_rows}, prior));
}

struct Batch {
  std::vector<Solution> solutions;
  std::vector<Certificate> certificates;
};

nb::dict solve_problems(const std::vector<const Problem*>& given, int threads, double gap_tolerance,
                        nb::object listener) {
  LongCall call(std::move(listener));
  std::vector<Problem> problems;
  const Batch batch = call.run([&](const Progress& progress) -> Result<Batch> {
    for (const Problem* problem : given) problems.push_back(*problem);
    const BatchOptions options{
        .solve = {.gap_tolerance = gap_tolerance}, .num_threads = threads, .progress = progress};
    HEFT_TRY(solutions, solve_batch(problems, options));
    Batch done{.solutions = std::move(solutions)};
    for (std::size_t k = 0; k < problems.size(); ++k)
      done.certificates.push_back(
          certify(problems[k], done.solutions[k], {.gap_tolerance = options.solve.gap_tolerance}));
    return done;
  });
  nb::list parameters, certified, gaps, objectives, status;
  for (std::size_t k = 0; k < problems.size(); ++k) {
    const Solution& solution = batch.solutions[k];
    const Eigen::Index size =
        std::min<Eigen::Index>(problems[k].layout.num_parameters(), solution.x.size());
    parameters.append(copy_of(Eigen::VectorXd(solution.x.head(size))));
    certified.append(batch.certificates[k].certified);
    gaps.append(batch.certificates[k].gap);
    objectives.append(batch.certificates[k].primal);
    status.append(enum_name(solution.status));
  }
  nb::dict result;
  result["parameters"] = parameters;
  result["certified"] = certified;
  result["gap"] = gaps;
  result["objective"] = objectives;
  result["status"] = status;
  return result;
}

}  // namespace

void bind_problem(nb::module_& m) {
  nb::class_<Problem>(m, "Problem")
      .def_static("of_moments", &of_moments, nb::arg("moments"), nb::arg("configuration"))
      .def_static("of_equations", &of_equations, nb::arg("G").noconvert(), nb::arg("b").noconvert(),
                  nb::arg("tau2"), nb::arg("num_rows"), nb::arg("bodies"),
                  nb::arg("references").noconvert(), nb::arg("prior_weight"))
      .def_prop_ro("num_parameters", [](const Problem& p) { return p.layout.num_parameters(); })
      .def_prop_ro("bodies", [](const Problem& p) { return p.layout.bodies; });
  m.def("solve_batch", &solve_problems, nb::arg("problems"), nb::arg("threads"),
        nb::arg("gap_tolerance"), nb::arg("progress").none());
}

}  // namespace heft::python
