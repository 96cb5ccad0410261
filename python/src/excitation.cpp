// Designs motions to record, evaluates given motions, and scores batches of motions.
#include <cmath>
#include <tuple>

#include "arrays.hpp"
#include "base/parallel_for.hpp"
#include "errors.hpp"
#include "excite_config/excite_options.hpp"
#include "excite_config/obstacles.hpp"
#include "files/name_hint.hpp"
#include "heft/excite/design.hpp"
#include "long_call.hpp"
#include "robot.hpp"

namespace heft::python {

namespace {

template <class Enum>
Enum chosen(const char* argument, const std::string& name) {
  if (const auto value = enum_value<Enum>(name)) return *value;
  std::vector<std::string> names;
  for (const auto& entry : EnumNames<Enum>::kList) names.emplace_back(entry.name);
  throw Failure{{argument, "unknown choice '" + name + "'", name_hint(name, names, "one of:")}};
}

Eigen::ArrayXXd array_of(const Matrix& array) {
  return matrix_of(array).array();
}

/// Returns the robot with its base held according to the options.
Robot held(const PyRobot& robot, const ExciteOptions& options) {
  return unwrap(held_robot(robot.robot, options.base));
}

void set_shape(ExciteOptions& options, const std::string& motion, double duration, int intervals) {
  options.shape.kind = chosen<ExcitationMotion>("motion", motion);
  options.shape.duration = duration;
  options.shape.choose(intervals);
}

void set_task(ExciteOptions& options, const Matrix& q, const Matrix& qd, const Matrix& qdd) {
  options.task = {Eigen::VectorXd::LinSpaced(static_cast<Eigen::Index>(q.shape(0)), 0, 1),
                  array_of(q),
                  array_of(qd),
                  array_of(qdd),
                  {}};
}

void set_from(ExciteOptions& options, const Design& design) {
  if (!design.motion)
    throw Failure{{"from_design", "has no coefficients: its motion was given by samples",
                   "give a design that heft.excite() returned"}};
  options.from = design.motion;
}

Design excite(const PyRobot& robot, const ExciteOptions& options, const TrainingData* known,
              nb::object listener) {
  LongCall call(std::move(listener));
  return call.run([&](const Progress& progress) {
    return design_excitation(robot.robot, options, known, progress);
  });
}

/// Shapes were checked in Python; velocities and accelerations both or neither.
Design judge_arrays(const PyRobot& robot, const Vector& t, const Matrix& q, const Matrix& qd,
                    const Matrix& qdd, const ExciteOptions& options, const TrainingData* known) {
  const MotionSamples motion{vector_of(t), array_of(q), array_of(qd), array_of(qdd), {}};
  const nb::gil_scoped_release released;
  return unwrap(judge_motion(robot.robot, motion, options, known));
}

Design judge_file(const PyRobot& robot, const std::string& path, const ExciteOptions& options,
                  const TrainingData* known) {
  const nb::gil_scoped_release released;
  const Robot read_for = held(robot, options);
  if (path.ends_with(".json"))
    return unwrap(
        judge_motion(robot.robot, unwrap(read_trajectory(path, read_for)), options, known));
  return unwrap(judge_motion(robot.robot, unwrap(read_motion(path, read_for)), options, known));
}

/// Converts a Python design back, by its coefficients if it has any.
Design judge_design(const PyRobot& robot, const Design& design, ExciteOptions options,
                    const TrainingData* known) {
  options.rate_hz = design.options.rate_hz;
  const nb::gil_scoped_release released;
  return unwrap(design.motion ? judge_motion(robot.robot, *design.motion, options, known)
                              : judge_motion(robot.robot, design.samples, options, known));
}

/// For every batch: (n,) values, (n, rows, joints) gradients or an empty array, (n, 5, joints)
/// extremes.
using Scored = std::tuple<NumpyArray, NumpyArray, NumpyArray>;

Scored scored_batch(const ScoredRobot& robot, const MotionScore* scores, std::size_t count,
                    bool with_gradient) {
  const auto rows = static_cast<std::size_t>(robot.shape().num_coefficients()),
             joints = static_cast<std::size_t>(robot.num_coordinates());
  double *value = nullptr, *gradient = nullptr, *extreme = nullptr;
  auto values = new_array({count}, value);
  auto gradients = new_array({with_gradient ? count : 0, rows, joints}, gradient);
  auto extremes = new_array({count, static_cast<std::size_t>(kNumExtremes), joints}, extreme);
  for (std::size_t i = 0; i < count; ++i) {
    const MotionScore& score = scores[i];
    value[i] = score.value;
    for (Eigen::Index row = 0; with_gradient && row < static_cast<Eigen::Index>(rows); ++row)
      for (Eigen::Index k = 0; k < static_cast<Eigen::Index>(joints); ++k)
        *gradient++ = score.gradient.size() > 0 ? score.gradient(row, k) : NAN;
    for (Eigen::Index row = 0; row < kNumExtremes; ++row)
      for (Eigen::Index k = 0; k < static_cast<Eigen::Index>(joints); ++k)
        *extreme++ = score.extremes(row, k);
  }
  return {values, gradients, extremes};
}

std::vector<Scored> score_batches(const std::vector<const ScoredRobot*>& robots,
                                  const std::vector<Matrix>& coefficients, bool with_gradient,
                                  int threads, nb::object listener) {
  std::vector<ScoredMotion> motions;
  std::vector<std::size_t> counts;
  for (std::size_t i = 0; i < robots.size(); ++i) {
    const Eigen::MatrixXd all = matrix_of(coefficients[i]);
    const Eigen::Index rows = robots[i]->shape().num_coefficients();
    counts.push_back(static_cast<std::size_t>(all.rows() / rows));
    for (Eigen::Index at = 0; at + rows <= all.rows(); at += rows)
      motions.push_back({robots[i], all.middleRows(at, rows)});
  }
  LongCall call(std::move(listener));
  const auto scores = call.run([&](const Progress& progress) {
    return score(motions, {.with_gradient = with_gradient, .threads = threads}, progress);
  });
  std::vector<Scored> result;
  const MotionScore* at = scores.data();
  for (std::size_t i = 0; i < robots.size(); at += counts[i], ++i)
    result.push_back(scored_batch(*robots[i], at, counts[i], with_gradient));
  return result;
}

/// (n, coefficients): the functions of a shape, or a derivative, at n times.
NumpyArray basis(const Vector& t, const std::string& motion, double duration, int intervals,
                 int order) {
  ExciteOptions options;
  set_shape(options, motion, duration, intervals);
  unwrap(check_shape(options.shape));
  const Eigen::VectorXd times = vector_of(t);
  Eigen::MatrixXd functions = Eigen::MatrixXd::Zero(times.size(), options.shape.num_coefficients());
  for (Eigen::Index i = 0; i < times.size(); ++i) {
    const BasisRow row = basis_row(options.shape, times[i], order);
    for (std::size_t j = 0; j < row.values.size(); ++j)
      functions(i, row.first + static_cast<Eigen::Index>(j)) = row.values[j];
  }
  return copy_of(functions);
}

void bind_options(nb::module_& m) {
  nb::class_<ExciteOptions>(m, "ExciteOptions")
      .def(nb::init<>())
      .def("set_objective",
           [](ExciteOptions& o, const std::string& name) {
             o.objective = chosen<ExcitationObjective>("objective", name);
           })
      .def("set_base", [](ExciteOptions& o,
                          const std::string& name) { o.base = chosen<BaseHold>("base", name); })
      .def("set_shape", &set_shape)
      .def("set_task", &set_task)
      .def("read_task",
           [](ExciteOptions& o, const PyRobot& robot, const std::string& path) {
             o.task = unwrap(read_task(path, held(robot, o)));
           })
      .def("set_from", &set_from)
      .def("set_threads", [](ExciteOptions& o, int threads) { o.threads = threads_for(threads); })
      .def("set_obstacles",
           [](ExciteOptions& o, const std::string& text, const std::string& name) {
             o.clearance.obstacles = unwrap(obstacles_from_yaml(text, name));
           })
      .def(
          "set_scene",
          [](ExciteOptions& o, std::optional<double> floor, const std::string& srdf,
             const std::vector<std::string>& package_paths, bool ignore) {
            o.clearance.floor = floor;
            o.clearance.srdf_path = srdf;
            o.clearance.package_folders = package_paths;
            o.clearance.ignore = ignore;
          },
          nb::arg("floor").none(), nb::arg("srdf"), nb::arg("package_paths"), nb::arg("ignore"))
      .def("read_config",
           [](ExciteOptions& o, const PyRobot& robot, const std::string& text,
              const std::string& name) {
             unwrap(excite_options_from_yaml(text, name, held(robot, o), o));
           })
      .def_rw("rate", &ExciteOptions::rate_hz)
      .def_rw("starts", &ExciteOptions::starts)
      .def_rw("seed", &ExciteOptions::seed)
      .def_rw("time_budget", &ExciteOptions::time_budget_s)
      .def_rw("speed", &ExciteOptions::slow_speed)
      .def_rw("until_mass", &ExciteOptions::mass_share)
      .def_rw("start", &ExciteOptions::start);
}

}  // namespace

void bind_excitation(nb::module_& m) {
  const auto array = [](auto member) {
    return [member](const Design& design) { return copy_of((design.*member).matrix()); };
  };
  const auto of_samples = [](auto member) {
    return [member](const Design& design) { return copy_of((design.samples.*member).matrix()); };
  };
  constexpr auto kRule = nb::rv_policy::automatic;
  nb::class_<Design>(m, "Design")
      .def_prop_ro("json", [](const Design& design) { return design_json(design); })
      .def_prop_ro("summary", [](const Design& design) { return design_summary(design); })
      .def_prop_ro(
          "t", [](const Design& design) { return copy_of(design.samples.time); }, kRule)
      .def_prop_ro("q", of_samples(&MotionSamples::position), kRule)
      .def_prop_ro("qd", of_samples(&MotionSamples::velocity), kRule)
      .def_prop_ro("qdd", of_samples(&MotionSamples::acceleration), kRule)
      .def_prop_ro("tau", array(&Design::torque), kRule)
      .def_prop_ro(
          "coefficients",
          [](const Design& design) {
            return copy_of(design.motion ? design.motion->coefficients : Eigen::MatrixXd());
          },
          kRule)
      .def("compare", [](Design& design,
                         const Design& other) { design.efficiency = d_efficiency(design, other); })
      .def(
          "save",
          [](const Design& design, const std::string& directory) {
            const nb::gil_scoped_release released;
            return unwrap(write_design(design, directory));
          },
          nb::arg("directory"));
  bind_options(m);
  m.def("excite", &excite, nb::arg("robot"), nb::arg("options"), nb::arg("known").none(),
        nb::arg("progress").none());
  m.def("judge_arrays", &judge_arrays, nb::arg("robot"), nb::arg("t").noconvert(),
        nb::arg("q").noconvert(), nb::arg("qd").noconvert(), nb::arg("qdd").noconvert(),
        nb::arg("options"), nb::arg("known").none());
  m.def("judge_file", &judge_file, nb::arg("robot"), nb::arg("path"), nb::arg("options"),
        nb::arg("known").none());
  m.def("judge_design", &judge_design, nb::arg("robot"), nb::arg("design"), nb::arg("options"),
        nb::arg("known").none());
  nb::class_<ScoredRobot>(m, "ScoredRobot")
      .def_prop_ro("num_coefficients",
                   [](const ScoredRobot& robot) { return robot.shape().num_coefficients(); })
      .def_prop_ro("num_joints", &ScoredRobot::num_coordinates)
      .def_prop_ro("log_det_prior", &ScoredRobot::log_det_prior);
  m.def(
      "scored_robot",
      [](const PyRobot& robot, const ExciteOptions& options, const TrainingData* known,
         int samples) {
        const nb::gil_scoped_release released;
        return unwrap(ScoredRobot::make(robot.robot, options, known, samples));
      },
      nb::arg("robot"), nb::arg("options"), nb::arg("known").none(), nb::arg("samples"));
  m.def("score", &score_batches, nb::arg("robots"), nb::arg("coefficients"), nb::arg("gradient"),
        nb::arg("threads"), nb::arg("progress").none());
  m.def("basis", &basis, nb::arg("t"), nb::arg("motion"), nb::arg("duration"), nb::arg("intervals"),
        nb::arg("order"));
}

}  // namespace heft::python
