// Functions that need no identification: identifiability, checks of files, and simulated logs.
#include "arrays.hpp"
#include "check/check_recording.hpp"
#include "config/device_options.hpp"
#include "errors.hpp"
#include "files/name_hint.hpp"
#include "heft/config/module_options.hpp"
#include "heft/observe/observe.hpp"
#include "heft/simulate/simulate.hpp"
#include "log.hpp"
#include "long_call.hpp"
#include "observe/json.hpp"
#include "robot.hpp"

namespace heft::python {

namespace {

Observability observe_robot(const PyRobot& robot, bool gravity, bool static_only, bool moving_base,
                            bool channels, nb::object listener) {
  LongCall call(std::move(listener));
  const ObserveOptions options{.base = moving_base ? BaseMotion::uncounted : BaseMotion::as_modeled,
                               .gravity = gravity,
                               .static_only = static_only,
                               .channels = channels};
  return call.run(
      [&](const Progress& progress) { return observe(robot.robot, options, progress); });
}

/// A robot file, or `text` in its place.
std::unique_ptr<RobotDocument> document_of(const std::string& path,
                                           const std::optional<nb::bytes>& text) {
  if (text) return unwrap(parse_robot_document(path, {text->c_str(), text->size()}));
  return unwrap(load_robot_document(path));
}

CheckReport check_document(const std::string& path, const std::optional<nb::bytes>& text,
                           const std::vector<std::string>& package_folders) {
  const auto document = document_of(path, text);
  const nb::gil_scoped_release released;
  return unwrap(check_robot(*document, {.package_folders = package_folders}));
}

CheckReport check_arrays(const PyRobot& robot, const PyLog& log, const Configuration& configuration,
                         nb::object listener) {
  LongCall call(std::move(listener));
  return call.run([&](const Progress& progress) -> Result<CheckReport> {
    HEFT_CHECK(config::check_torque_meaning(configuration));
    HEFT_TRY(configured, robot_as_configured(robot, configuration));
    return check_recording(std::move(configured), log.log,
                           {.log = configuration.log,
                            .conditioning = configuration.conditioning,
                            .model = model_options(configuration)},
                           progress);
  });
}

nb::list findings_of(const CheckReport& report) {
  nb::list findings;
  for (const Finding& finding : report.findings) {
    nb::dict entry;
    entry["name"] = finding.name;
    entry["severity"] = enum_name(finding.severity);
    entry["subject"] = finding.subject;
    entry["where"] = finding.where;
    entry["what"] = finding.what;
    entry["measure"] = finding.measure;
    entry["unit"] = finding.unit;
    entry["remedy"] = finding.remedy;
    findings.append(entry);
  }
  return findings;
}

nb::list fix(const std::string& robot, const std::optional<nb::bytes>& text,
             const std::string& path, const std::vector<std::string>& package_folders) {
  const auto document = document_of(robot, text);
  nb::list repairs;
  for (const Repair& repair :
       unwrap(fix_robot(*document, path, {.package_folders = package_folders}))) {
    nb::dict entry;
    entry["link"] = repair.link;
    entry["where"] = repair.where;
    entry["what"] = repair.what;
    entry["distance"] = repair.distance;
    repairs.append(entry);
  }
  return repairs;
}

void simulate(const SimulatedTruth& truth, const SimulateOptions& options, const std::string& path,
              nb::object listener) {
  LongCall call(std::move(listener));
  call.run([&](const Progress& progress) { return simulate_log(truth, options, path, progress); });
}

}  // namespace

void bind_before_data(nb::module_& m) {
  nb::class_<Observability>(m, "Observability")
      .def_prop_ro("json", [](const Observability& o) { return observability_json(o).dump(); })
      .def_prop_ro("text", [](const Observability& o) { return format_observability(o); })
      .def_ro("num_base", &Observability::num_base)
      .def_prop_ro("labels",
                   [](const Observability& o) {
                     std::vector<std::string> labels;
                     for (const ObservedParameter& p : o.parameters) labels.push_back(p.label);
                     return labels;
                   })
      .def_prop_ro("base_parameters", [](const Observability& o) { return o.base_parameters(); })
      .def_prop_ro(
          "base_matrix", [](const Observability& o) { return copy_of(o.base_matrix()); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "null_matrix", [](const Observability& o) { return copy_of(o.null_matrix()); },
          nb::rv_policy::automatic);
  m.def("observe", &observe_robot, nb::arg("robot"), nb::arg("gravity"), nb::arg("static_only"),
        nb::arg("moving_base"), nb::arg("channels"), nb::arg("progress").none());

  nb::class_<CheckReport>(m, "CheckReport")
      .def_ro("path", &CheckReport::path)
      .def_ro("subject", &CheckReport::subject)
      .def_prop_ro("findings", &findings_of)
      .def(
          "text", [](const CheckReport& report, int width) { return format_check(report, width); },
          nb::arg("width"));
  m.def("check_robot", &check_document, nb::arg("path"), nb::arg("text").none(),
        nb::arg("package_folders"));
  m.def("check_log", &check_arrays, nb::arg("robot"), nb::arg("log"), nb::arg("configuration"),
        nb::arg("progress").none());
  m.def("fix_robot", &fix, nb::arg("robot"), nb::arg("text").none(), nb::arg("path"),
        nb::arg("package_folders"));

  nb::class_<SimulateOptions>(m, "SimulateOptions")
      .def(nb::init<>())
      .def_rw("duration", &SimulateOptions::duration_s)
      .def_rw("rate", &SimulateOptions::rate_hz)
      .def_rw("seed", &SimulateOptions::seed)
      .def_rw("trajectory_seed", &SimulateOptions::trajectory_seed)
      .def_rw("perturbation", &SimulateOptions::perturbation)
      .def_rw("friction", &SimulateOptions::friction)
      .def_rw("torque_noise", &SimulateOptions::torque_noise)
      .def_rw("encoder_counts", &SimulateOptions::encoder_counts)
      .def_rw("latency_s", &SimulateOptions::latency_s)
      .def_rw("speed", &SimulateOptions::speed);
  m.def("check_simulation",
        [](const SimulateOptions& options) { unwrap(check_simulation(options)); });
  nb::class_<SimulatedTruth>(m, "SimulatedTruth")
      .def_static(
          "of_robot",
          [](const PyRobot& robot, const SimulateOptions& options) {
            return unwrap(simulated_truth(robot.robot, options));
          },
          nb::arg("robot"), nb::arg("options"))
      .def_prop_ro(
          "parameters",
          [](nb::handle_t<SimulatedTruth> self) {
            return view_in(nb::cast<const SimulatedTruth&>(self).parameters, self);
          },
          nb::rv_policy::automatic)
      .def(
          "write",
          [](const SimulatedTruth& truth, const std::string& path) {
            unwrap(write_truth(truth, path));
          },
          nb::arg("path"));
  m.def("simulate_log", &simulate, nb::arg("truth"), nb::arg("options"), nb::arg("path"),
        nb::arg("progress").none());
}

}  // namespace heft::python
