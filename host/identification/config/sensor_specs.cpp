#include "sensor_specs.hpp"

#include <algorithm>

#include "config/field_reader.hpp"

namespace heft::config {

namespace {

using Vector6d = Eigen::Matrix<double, 6, 1>;

constexpr const char* kSensorForm =
    "write, for example, wrist: {link: tool0, pose: [0, 0, 0.03, 0, 0, 0]}";

auto has_six_numbers() {
  return [](const std::vector<double>& numbers) {
    return numbers.size() == 6 ? std::string() : std::string("must be 6 numbers");
  };
}

Result<SensorSpec> read_sensor_spec(const std::string& name, const YAML::Node& node,
                                    const std::string& file) {
  if (!node.IsMap())
    return Error{place_of(file, node), "a sensor must be a mapping of options", kSensorForm};
  SensorSpec sensor{.name = name};
  std::vector<double> pose(6), offset(6);
  FieldReader reader(node, file);
  reader("link", sensor.link, "",
         "link whose load the sensor measures, including all links beyond it",
         [](const std::string& link) {
           return link.empty() ? std::string("must not be empty") : std::string();
         });
  reader("pose", pose, "m, rad", "[x, y, z, roll, pitch, yaw] of the sensor in the link",
         has_six_numbers());
  reader("sign", sensor.sign, "",
         "1: wrench acting on the link; -1: wrench that the link exerts on its carrier",
         [](double sign) {
           return sign == 1 || sign == -1 ? std::string() : std::string("must be 1 or -1");
         });
  const auto not_zero = [](double x) {
    return x != 0 ? std::string() : std::string("must not be zero");
  };
  reader("force_scale", sensor.force_scale, "N", "newtons per unit of the log", not_zero);
  reader("torque_scale", sensor.torque_scale, "N m", "newton meters per unit of the log", not_zero);
  reader("offset", offset, "N, N m",
         "[fx, fy, fz, nx, ny, nz] that the sensor reports without load", has_six_numbers());
  if (const auto error = reader.finish()) return *error;
  if (sensor.link.empty())
    return Error{place_of(file, node), "sensor '" + name + "' has no link", kSensorForm};
  sensor.pose = Eigen::Map<const Vector6d>(pose.data());
  sensor.offset = Eigen::Map<const Vector6d>(offset.data());
  return sensor;
}

}  // namespace

Result<std::vector<SensorSpec>> read_sensor_specs(const YAML::Node& node, const std::string& file) {
  std::vector<SensorSpec> sensors;
  if (!node || node.IsNull()) return sensors;
  if (!node.IsMap())
    return Error{place_of(file, node), "sensors must map names to options", kSensorForm};
  for (const auto& entry : node) {
    HEFT_TRY(sensor, read_sensor_spec(entry.first.Scalar(), entry.second, file));
    if (std::any_of(sensors.begin(), sensors.end(),
                    [&](const SensorSpec& s) { return s.name == sensor.name; }))
      return Error{place_of(file, entry.first), "sensor '" + sensor.name + "' is given twice",
                   "remove one of them"};
    sensors.push_back(std::move(sensor));
  }
  std::sort(sensors.begin(), sensors.end(),
            [](const SensorSpec& a, const SensorSpec& b) { return a.name < b.name; });
  return sensors;
}

nlohmann::ordered_json write_sensor_specs(const std::vector<SensorSpec>& sensors) {
  const auto list = [](const Vector6d& numbers) {
    return std::vector<double>(numbers.begin(), numbers.end());
  };
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const SensorSpec& sensor : sensors)
    json[sensor.name] = {{"link", sensor.link},
                         {"pose", list(sensor.pose)},
                         {"sign", sensor.sign},
                         {"force_scale", sensor.force_scale},
                         {"torque_scale", sensor.torque_scale},
                         {"offset", list(sensor.offset)}};
  return json;
}

}  // namespace heft::config
