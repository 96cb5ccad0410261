// Designs of motions to record, and judgements of motions that exist.
#include <algorithm>
#include <thread>

#include "arrays.hpp"
#include "errors.hpp"
#include "files/name_hint.hpp"
#include "heft/config/excite_options.hpp"
#include "heft/excite/design.hpp"
#include "heft/excite/files.hpp"
#include "long_call.hpp"
#include "robot.hpp"

namespace heft::python {

namespace {

template <class Enum>
Enum chosen(const char* argument, const std::string& name) {
  if (const auto value = enum_value<Enum>(name)) return *value;
  std::vector<std::string> names;
  for (const auto& entry : EnumNames<Enum>::kList) names.emplace_back(entry.name);
  throw Failure{{argument, "there is no '" + name + "'", name_hint(name, names, "there are ")}};
}

/// `options` with the limits and beliefs of a YAML or JSON text, which may be empty.
ExciteOptions options_of(const PyRobot& robot, const std::string& config, const std::string& config_name,
                         ExciteOptions options) {
  if (!config.empty()) unwrap(excite_options_from_yaml(config, config_name, robot.robot, options));
  return options;
}

Design design(const PyRobot& robot, const std::string& config, const std::string& config_name,
              const TrainingData* known, const std::map<std::string, double>& start, double duration,
              double rate, const std::string& objective, const std::string& motion, int intervals, int starts,
              std::uint64_t seed, double time_budget, int threads, nb::object listener) {
  ExciteOptions options;
  options.objective = chosen<ExcitationObjective>("objective", objective);
  options.shape.kind = chosen<ExcitationMotion>("motion", motion);
  options.shape.duration = duration;
  options.shape.choose(intervals);
  options.rate_hz = rate;
  options.starts = starts;
  options.seed = seed;
  options.time_budget_s = time_budget;
  options.threads =
      threads > 0 ? threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  options.start = start;
  options = options_of(robot, config, config_name, std::move(options));
  LongCall call(std::move(listener));
  return call.run(
      [&](const Progress& progress) { return design_excitation(robot.robot, options, known, progress); });
}

Eigen::ArrayXXd array_of(const Matrix& array) {
  return matrix_of(array).array();
}

/// Shapes were checked in Python; velocities and accelerations both or neither.
Design judge_arrays(const PyRobot& robot, const Vector& t, const Matrix& q, const Matrix& qd,
                    const Matrix& qdd, const std::string& config, const std::string& config_name,
                    const TrainingData* known) {
  const MotionSamples motion{vector_of(t), array_of(q), array_of(qd), array_of(qdd), {}};
  const ExciteOptions options = options_of(robot, config, config_name, {});
  const nb::gil_scoped_release released;
  return unwrap(judge_motion(robot.robot, motion, options, known));
}

Design judge_file(const PyRobot& robot, const std::string& path, const std::string& config,
                  const std::string& config_name, const TrainingData* known) {
  const ExciteOptions options = options_of(robot, config, config_name, {});
  const nb::gil_scoped_release released;
  return unwrap(judge_motion(robot.robot, unwrap(read_motion(path, robot.robot)), options, known));
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
      .def(
          "save",
          [](const Design& design, const std::string& directory) {
            const nb::gil_scoped_release released;
            return unwrap(write_design(design, directory));
          },
          nb::arg("directory"));
  m.def("excite", &design, nb::arg("robot"), nb::arg("config"), nb::arg("config_name"),
        nb::arg("known").none(), nb::arg("start"), nb::arg("duration"), nb::arg("rate"), nb::arg("objective"),
        nb::arg("motion"), nb::arg("intervals"), nb::arg("starts"), nb::arg("seed"), nb::arg("time_budget"),
        nb::arg("threads"), nb::arg("progress").none());
  m.def("judge_arrays", &judge_arrays, nb::arg("robot"), nb::arg("t").noconvert(), nb::arg("q").noconvert(),
        nb::arg("qd").noconvert(), nb::arg("qdd").noconvert(), nb::arg("config"), nb::arg("config_name"),
        nb::arg("known").none());
  m.def("judge_file", &judge_file, nb::arg("robot"), nb::arg("path"), nb::arg("config"),
        nb::arg("config_name"), nb::arg("known").none());
}

}  // namespace heft::python
