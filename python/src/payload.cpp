// A body on a force-torque sensor, or on the link of an identified robot: from logs, and plans of
// the next poses.
#include "payload.hpp"

#include "errors.hpp"
#include "files/name_hint.hpp"
#include "heft/payload/payload.hpp"
#include "log.hpp"
#include "long_call.hpp"
#include "payload/plan.hpp"
#include "payload_config/payload_on_robot.hpp"
#include "payload_config/payload_options.hpp"
#include "robot.hpp"

namespace heft::python {

namespace {

Result<std::vector<PayloadMethod>> methods_of(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  std::vector<PayloadMethod> all, methods;
  for (const auto& entry : EnumNames<PayloadMethod>::kList) {
    known.emplace_back(entry.name);
    all.push_back(entry.value);
  }
  known.emplace_back("all");
  for (const std::string& name : names) {
    if (name == "all") return all;
    const auto method = enum_value<PayloadMethod>(name);
    if (!method)
      return Error{"method", "unknown method '" + name + "'", name_hint(name, known, "one of:")};
    methods.push_back(*method);
  }
  return methods;
}

/// Computes the motion from the coordinates of a robot, whose sections are in the same text;
/// without a robot the logs contain it.
struct Sensor {
  const PyRobot* robot = nullptr;
  std::string link;
};

struct Told {
  PayloadOptions options;
  std::optional<SensorOnLink> on_link;
};

Result<Told> told_by(const ConfigText& config, const Sensor& sensor) {
  if (!sensor.robot) {
    HEFT_TRY(options, payload_options_from_yaml(config.text, config.name));
    return Told{options, {}};
  }
  Configuration configuration;
  configuration.robot = sensor.robot->options;
  HEFT_TRY(options, payload_options_from_yaml(config.text, config.name, configuration));
  HEFT_TRY(robot, robot_as_configured(*sensor.robot, configuration));
  return Told{options,
              SensorOnLink{robot, sensor.link, configuration.log, configuration.conditioning}};
}

std::vector<Log> logs_of(const std::vector<PyLog>& given) {
  std::vector<Log> logs;
  for (const PyLog& log : given) logs.push_back(log.log);
  return logs;
}

Result<PayloadResult> weigh(const std::vector<PyLog>& given, const ConfigText& config,
                            const Sensor& sensor, const CarryingRobot* carrying,
                            const ShapePlace& place, const std::vector<std::string>& names,
                            bool is_calibration, const Progress& progress) {
  HEFT_TRY(told, told_by(config, sensor));
  HEFT_CHECK(place.put_into(told.options.prior));
  told.options.is_calibration = is_calibration;
  HEFT_TRY(methods, methods_of(names));
  HEFT_TRY(shape, read_payload_shape(told.options.prior));
  const PayloadRequest request{.logs = logs_of(given),
                               .on_link = told.on_link,
                               .options = told.options,
                               .shape = shape,
                               .methods = methods,
                               .progress = progress};
  return carrying ? weigh_on_robot(*carrying, request) : weigh_logs(request);
}

Result<PosePlan> plan(const std::vector<PyLog>& given, const ConfigText& config,
                      const Sensor& sensor, int num_poses) {
  HEFT_TRY(told, told_by(config, sensor));
  return plan_poses({.logs = logs_of(given),
                     .on_link = told.on_link,
                     .options = told.options,
                     .num_poses = num_poses});
}

nb::object tool_of(const PayloadResult& result) {
  if (!result.as_tool) return nb::none();
  const KnownTool& tool = *result.as_tool;
  const auto numbers = [](const auto& values) {
    return std::vector<double>(values.data(), values.data() + values.size());
  };
  nb::dict entry;
  if (!tool.link.empty()) entry["link"] = tool.link;
  entry["parameters"] = numbers(tool.parameters);
  if (tool.has_bias) entry["bias"] = numbers(tool.bias);
  entry["covariance"] = numbers(tool.covariance);
  return entry;
}

}  // namespace

Result<Done> ShapePlace::put_into(PayloadPriorOptions& prior) const {
  if (!mesh.empty()) prior.mesh = mesh;
  if (pose.empty()) return Done{};
  if (prior.mesh.empty() && !prior.primitive && prior.parts.empty())
    return Error{"pose", "places nothing",
                 "give shape, or one of payload.prior.box, ball, cylinder and parts"};
  HEFT_TRY(placed, pose_of(pose, "pose"));
  prior.pose = placed;
  return Done{};
}

void bind_payload(nb::module_& m) {
  nb::class_<PayloadResult>(m, "PayloadResult")
      .def_prop_ro("json", [](const PayloadResult& result) { return payload_json(result); })
      .def_prop_ro("summary", [](const PayloadResult& result) { return payload_summary(result); })
      .def_prop_ro("page", [](const PayloadResult& result) { return payload_page(result); })
      .def_prop_ro("as_tool", &tool_of)
      .def(
          "save",
          [](const PayloadResult& result, const std::string& directory) {
            const nb::gil_scoped_release released;
            return unwrap(write_payload(result, directory));
          },
          nb::arg("directory"));
  nb::class_<CarryingRobot>(m, "CarryingRobot")
      .def_static(
          "read",
          [](const std::string& model, const std::string& link) {
            const nb::gil_scoped_release released;
            return unwrap(CarryingRobot::read(model, link));
          },
          nb::arg("model"), nb::arg("link"))
      .def_prop_ro("link", [](const CarryingRobot& robot) { return robot.link(); });
  m.def(
      "payload",
      [](const std::vector<PyLog>& logs, const std::string& config, const std::string& config_name,
         const PyRobot* robot, const std::string& sensor_link, const CarryingRobot* carrying,
         const std::string& shape, const std::vector<double>& pose,
         const std::vector<std::string>& methods, bool is_calibration, nb::object listener) {
        return LongCall(std::move(listener)).run([&](const Progress& progress) {
          return weigh(logs, {config, config_name}, {robot, sensor_link}, carrying, {shape, pose},
                       methods, is_calibration, progress);
        });
      },
      nb::arg("logs"), nb::arg("config"), nb::arg("config_name"), nb::arg("robot").none(),
      nb::arg("sensor_link"), nb::arg("carrying").none(), nb::arg("shape"), nb::arg("pose"),
      nb::arg("methods"), nb::arg("is_calibration"), nb::arg("progress").none());
  m.def(
      "payload_plan",
      [](const std::vector<PyLog>& logs, const std::string& config, const std::string& config_name,
         const PyRobot* robot, const std::string& sensor_link, int num_poses) {
        const nb::gil_scoped_release released;
        const PosePlan found =
            unwrap(plan(logs, {config, config_name}, {robot, sensor_link}, num_poses));
        return std::make_pair(plan_json(found), plan_summary(found));
      },
      nb::arg("logs"), nb::arg("config"), nb::arg("config_name"), nb::arg("robot").none(),
      nb::arg("sensor_link"), nb::arg("num_poses"));
  bind_payload_arrays(m);
}

}  // namespace heft::python
