// The section `payload` of a YAML file: every option described once.
#include "payload_config/payload_options.hpp"

#include <cmath>
#include <cstring>
#include <filesystem>

#include "config/field_reader.hpp"
#include "files/whole_file.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace heft {

namespace {

/// The section as written in the file, before conversion to PayloadOptions.
struct PayloadSection {
  PayloadOptions options;
  double gravity = kUsualGravity;
  std::vector<double> mounting, down, parameters, box, cylinder, tool, tool_bias, tool_covariance,
      density, com_region;
  PerJointOf<std::string> parts;
  std::vector<std::string> changes, bias_changes;
  NumberOrAuto delay;
  bool says_bias = false, says_gravity = false;
  std::string points, tool_link;
  double ball = 0;
  NumberOrAuto torque_scale_sd{.automatic = true};
  NumberOrAuto prior_weight{.automatic = true}, gamma{.automatic = true};
};

auto one_of_signs() {
  return [](double sign) {
    return sign == 1 || sign == -1 ? std::string() : std::string("must be 1 or -1");
  };
}

auto automatic_or_positive() {
  return [](const NumberOrAuto& x) {
    return x.automatic || x.value > 0 ? std::string() : std::string("must be positive");
  };
}

auto so_many(std::size_t count) {
  return [count](const std::vector<double>& x) {
    return x.size() == count ? std::string() : "must be " + std::to_string(count) + " numbers";
  };
}

template <class Visitor>
void describe_prior(PayloadSection& o, Visitor&& visit) {
  visit("parameters", o.parameters, "SI",
        "m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the sensor's origin", so_many(10));
  visit("points", o.points, "", "CSV of x,y,z,volume in the sensor's frame");
  visit("point_density", o.options.prior.point_density, "1/cm^3",
        "density of the points in mesh or box, for pmd; 0: 0.04, but at least 100 points",
        config::not_negative());
  visit(
      "parts", o.parts, "kg/m^3",
      "parts of several materials: a mapping from mesh files, one per part, to densities or to auto");
  visit("box", o.box, "m", "sizes of a box, placed by --pose", so_many(3));
  visit("ball", o.ball, "m", "radius of a ball, placed by --pose; 0: none", config::not_negative());
  visit("cylinder", o.cylinder, "m", "radius and length of a cylinder along z, placed by --pose",
        so_many(2));
}

template <class Visitor>
void describe_tool(PayloadSection& o, Visitor&& visit) {
  visit(
      "parameters", o.tool, "SI",
      "parameters of the tool on the sensor besides the payload, in the order of payload.prior.parameters",
      so_many(10));
  visit("link", o.tool_link, "",
        "link in whose frame the tool was calibrated by joint torques; empty: the sensor");
  visit("bias", o.tool_bias, "N, N m",
        "fx, fy, fz, nx, ny, nz that the sensor reports without load", so_many(6));
  visit("covariance", o.tool_covariance, "SI",
        "covariance of the errors of m, mcx, mcy, mcz and the bias: 10 x 10, row by row",
        so_many(100));
}

/// The option of section `estimation` that is also used to weigh payloads by joint torques.
template <class Visitor>
void describe_estimation(PayloadSection& o, Visitor&& visit) {
  visit(
      "torque_scale_sd", o.torque_scale_sd, "",
      "relative standard deviation of the torque scale of each joint; auto: estimated from the residuals",
      [](const NumberOrAuto& sd) {
        return sd.automatic ? std::string() : config::within(0, 1)(sd.value);
      });
}

template <class Visitor>
void describe(PayloadSection& o, Visitor&& visit) {
  visit("sign", o.options.sensor.sign, "",
        "-1 for a sensor that reports the wrench of the payload on the sensor", one_of_signs());
  visit("wrench_frame", o.options.sensor.wrench_frame, "", "axes of the logged wrench");
  visit(
      "wrench", o.options.sensor.wrench_columns, "",
      "the six columns of force x, y, z and torque x, y, z; empty: fx, fy, fz, nx, ny, nz, or the only six "
      "columns named as force and torque",
      [](const std::vector<std::string>& x) {
        return x.empty() || x.size() == 6 ? std::string() : std::string("must be six names");
      });
  visit("orientation", o.options.sensor.orientation, "",
        "meaning of r11..r33 or qx..qw: sensor_to_world, or world_to_sensor for the transpose");
  visit(
      "quaternion", o.options.sensor.quaternion, "",
      "order of the values in the columns qx, qy, qz, qw: xyzw, or wxyz if the scalar part comes first");
  visit(
      "gravity", o.gravity, "m/s^2",
      "gravitational acceleration, if the log has orientations; with --robot, the robot's value is the default",
      config::positive());
  visit("down", o.down, "",
        "direction of gravity in the world frame of the log's orientations (default [0, 0, -1])",
        so_many(3));
  visit("mounting", o.mounting, "m, rad",
        "x, y, z, roll, pitch, yaw of the sensor in the frame whose motion is logged", so_many(6));
  visit(
      "bias", o.options.bias, "",
      "unknown offsets of the sensor: none, six per log, six per segment (between gaps), or six that drift");
  visit(
      "bias_changes", o.bias_changes, "s",
      "times of the log at which the offset of the sensor changes (it was zeroed); for poses at rest, rows "
      "counted from 0; auto: detected in the log");
  visit("wrench_delay_s", o.delay, "s",
        "delay of the logged wrench behind the motion; auto: estimated from the log",
        [](const NumberOrAuto& x) {
          return x.automatic || std::abs(x.value) <= 10 ? std::string()
                                                        : std::string("must be at most 10 s");
        });
  visit("changes", o.changes, "s",
        "times of the log at which the body on the sensor changes; auto: detected in the log");
  visit("lowpass_hz", o.options.lowpass_hz, "Hz",
        "low-pass on both rows and wrench, for the method auto; 0: none", config::not_negative());
  visit("prior_weight", o.prior_weight, "",
        "weight w of the methods metric and auto; auto: chosen from the log",
        automatic_or_positive());
  visit("gamma", o.gamma, "", "weight of the methods geo and pullback; auto: chosen from the log",
        automatic_or_positive());
  visit("c1", o.options.c1, "m^2/s^4", "motion at which pmd begins to treat samples as dynamic",
        config::positive());
  visit("lambda", o.options.lambda, "", "regularization of the point masses for pmd",
        config::positive());
  visit(
      "density", o.density, "kg/m^3",
      "[min, max] density of the material in the shape: bounds on the mass over the volume",
      [](const std::vector<double>& x) {
        return x.size() == 2 && x[0] >= 0 && x[0] <= x[1] && std::isfinite(x[0])
                   ? std::string()
                   : std::string("must be two numbers, the minimum (not negative) and the maximum");
      });
  visit(
      "com_region", o.com_region, "m",
      "[x_low, x_high, y_low, y_high, z_low, z_high] in the sensor's frame: the box that contains the center "
      "of mass",
      so_many(6));
  visit("within_shape", o.options.limits.within_shape, "",
        "all mass lies in the smallest ellipsoid around the shape");
  visit("known_mass", o.options.limits.known_mass, "kg", "known mass of the payload; 0: unknown",
        config::not_negative());
}

YAML::Node only_payload(const YAML::Node& root) {
  YAML::Node only(YAML::NodeType::Map);
  if (const YAML::Node payload = root["payload"]) only["payload"] = payload;
  return only;
}

/// Sections that the file may also have; another reader checks them.
enum class Beside { nothing, a_robot };

Result<PayloadSection> section_of(const YAML::Node& root, const std::string& path, Beside beside) {
  PayloadSection section;
  if (root.IsNull()) return section;
  if (!root.IsMap())
    return Error{path, "must be a mapping with the section payload",
                 "write 'payload:' and its options below, indented"};
  config::FieldReader reader(beside == Beside::nothing ? root : only_payload(root), path);
  reader.section("payload", [&](config::FieldReader& inside) {
    describe(section, inside);
    section.says_bias = root["payload"]["bias"].IsDefined();
    section.says_gravity = root["payload"]["gravity"].IsDefined();
    inside.section("prior", [&](config::FieldReader& prior) { describe_prior(section, prior); });
    inside.section("known_tool", [&](config::FieldReader& tool) { describe_tool(section, tool); });
  });
  if (beside == Beside::nothing)
    reader.section("estimation",
                   [&](config::FieldReader& inside) { describe_estimation(section, inside); });
  if (const auto error = reader.finish()) return *error;
  return section;
}

Result<PayloadSection> section_from_text(const std::string& text, const std::string& path,
                                         Beside beside) {
  return config::with_root(text, path,
                           [&](const YAML::Node& root) { return section_of(root, path, beside); });
}

struct Times {
  std::vector<double> given;
  bool automatic = false;
};

/// `option`: payload.changes or payload.bias_changes.
Result<Times> times_of(const std::vector<std::string>& texts, const std::string& path,
                       const char* option) {
  Times times;
  for (const std::string& text : texts) {
    if (texts.size() == 1 && text == "auto") {
      times.automatic = true;
      return times;
    }
    double time = 0;
    if (!YAML::convert<double>::decode(YAML::Node(text), time) || !std::isfinite(time))
      return Error{path + ": " + option, "'" + text + "' is not a time",
                   "write seconds of the log, [2.5, 7], or auto"};
    times.given.push_back(time);
  }
  return times;
}

Result<Done> set_changes(const PayloadSection& section, const std::string& path,
                         PayloadOptions& options) {
  HEFT_TRY(of_body, times_of(section.changes, path, "payload.changes"));
  HEFT_TRY(of_bias, times_of(section.bias_changes, path, "payload.bias_changes"));
  options.changes = of_body.given, options.finds_changes = of_body.automatic;
  options.bias_changes = of_bias.given, options.finds_bias_changes = of_bias.automatic;
  return Done{};
}

/// Whether C is symmetric and positive semidefinite, up to the rounding of numbers in a file.
bool is_covariance(const Eigen::Matrix<double, 10, 10>& C) {
  constexpr double kRounding = 1e-9;
  const Eigen::Matrix<double, 10, 1> sd = C.diagonal().cwiseMax(0).cwiseSqrt();
  if ((C.diagonal().array() < 0).any()) return false;
  const Eigen::Matrix<double, 10, 10> most = sd * sd.transpose();
  if (((C - C.transpose()).array().abs() > kRounding * most.array()).any() ||
      (C.array().abs() > (1 + kRounding) * most.array()).any())
    return false;
  // of correlations, so that kilograms and meters weigh alike
  const Eigen::Matrix<double, 10, 1> scale = (sd.array() > 0).select(sd.cwiseInverse(), 0);
  const Eigen::MatrixXd R = scale.asDiagonal() * C * scale.asDiagonal();
  return SymmetricEigen<Eigen::Dynamic>(R, Eigen::EigenvaluesOnly).eigenvalues().minCoeff() >
         -kRounding;
}

/// A tool with a known bias removes the unknown offset of the sensor, unless the file sets one.
Result<Done> set_tool(const PayloadSection& section, const std::string& path,
                      PayloadOptions& options) {
  const std::string where = path + ": payload.known_tool";
  if (section.tool.empty() && section.tool_bias.empty()) {
    if (section.tool_link.empty() && section.tool_covariance.empty()) return Done{};
    return Error{where, "has a link or a covariance, but neither parameters nor bias",
                 "write known_tool.parameters: [m, mcx, mcy, mcz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz]"};
  }
  KnownTool tool{.link = section.tool_link, .has_bias = !section.tool_bias.empty()};
  if (!section.tool.empty())
    tool.parameters = Eigen::Map<const BodyParameters>(section.tool.data());
  if (tool.has_bias)
    tool.bias = Eigen::Map<const Eigen::Matrix<double, 6, 1>>(section.tool_bias.data());
  if (!section.tool_covariance.empty())
    tool.covariance =
        Eigen::Map<const Eigen::Matrix<double, 10, 10>>(section.tool_covariance.data());
  if (!is_covariance(tool.covariance))
    return Error{where + ".covariance",
                 "is not a covariance: it is not symmetric or has a negative variance",
                 "keep it as heft payload --zero wrote it"};
  options.sensor.tool = tool;
  if (tool.has_bias && !section.says_bias) options.bias = BiasKind::none;
  return Done{};
}

void set_limits(const PayloadSection& section, PayloadOptions& options) {
  if (!section.density.empty())
    options.limits.least_density = section.density[0],
    options.limits.largest_density = section.density[1];
  const std::vector<double>& region = section.com_region;
  if (!region.empty())
    options.limits.com_region =
        Eigen::AlignedBox3d(Eigen::Vector3d(region[0], region[2], region[4]),
                            Eigen::Vector3d(region[1], region[3], region[5]));
}

Result<Done> set_parts(const PayloadSection& section, const std::string& path,
                       PayloadOptions& options) {
  const std::string where = path + ": payload.prior.parts";
  if (!section.parts.for_all.empty() || !section.parts.in_order.empty())
    return Error{where, "is not a mapping of meshes",
                 "write {handle.stl: 700, head.stl: 7800}, or auto for every density"};
  for (const auto& [mesh, text] : section.parts.by_name) {
    PayloadPriorOptions::Part part{.mesh = path_beside(path, mesh)};
    if (text != "auto") {
      constexpr const char* kTo = " to ";
      const std::size_t to = text.find(kTo);
      const auto density = [&](const std::string& words, double& value) {
        return YAML::convert<double>::decode(YAML::Node(words), value) && std::isfinite(value);
      };
      const bool is_read =
          to == std::string::npos
              ? density(text, part.least_density) && density(text, part.largest_density)
              : density(text.substr(0, to), part.least_density) &&
                    density(text.substr(to + std::strlen(kTo)), part.largest_density);
      if (!is_read || !(part.least_density >= 0) || !(part.largest_density > 0) ||
          !(part.least_density <= part.largest_density))
        return Error{where, "'" + text + "' is not a density of " + mesh,
                     "write a positive density in kg/m^3, limits such as '600 to 800', or auto"};
    }
    options.prior.parts.push_back(part);
  }
  return Done{};
}

Result<PayloadOptions> options_from_yaml(const std::string& text, const std::string& path,
                                         Beside others) {
  HEFT_TRY(section, section_from_text(text, path, others));
  PayloadOptions options = section.options;
  if (section.says_gravity) options.sensor.gravity = section.gravity;
  if (!section.mounting.empty()) {
    HEFT_TRY(pose, pose_of(section.mounting, path + ": payload.mounting"));
    options.sensor.mounting = pose;
  }
  if (!section.down.empty()) {
    const Eigen::Vector3d down(section.down[0], section.down[1], section.down[2]);
    if (!(down.norm() > 0) || !down.allFinite())
      return Error{path + ": payload.down", "is not a direction",
                   "write the axis that points down, such as [0, -1, 0] if y points up"};
    options.sensor.down = down.normalized();
  }
  if (!section.parameters.empty())
    options.prior.parameters = Eigen::Map<const BodyParameters>(section.parameters.data());
  if (!section.box.empty())
    options.prior.primitive = {PayloadPrimitive::Kind::box,
                               Eigen::Map<const Eigen::Vector3d>(section.box.data())};
  if (section.ball > 0)
    options.prior.primitive = {PayloadPrimitive::Kind::ball,
                               Eigen::Vector3d::Constant(2 * section.ball)};
  if (!section.cylinder.empty())
    options.prior.primitive = {
        PayloadPrimitive::Kind::cylinder,
        {2 * section.cylinder[0], 2 * section.cylinder[0], section.cylinder[1]}};
  if (int{!section.box.empty()} + int{section.ball > 0} + int{!section.cylinder.empty()} > 1)
    return Error{path + ": payload.prior", "is given in more than one way",
                 "keep one of box, ball and cylinder"};
  options.prior.points = path_beside(path, section.points);
  HEFT_CHECK(set_changes(section, path, options));
  options.sensor.finds_delay = section.delay.automatic;
  options.sensor.wrench_delay_s = section.delay.automatic ? 0 : section.delay.value;
  HEFT_CHECK(set_tool(section, path, options));
  set_limits(section, options);
  HEFT_CHECK(set_parts(section, path, options));
  if (!section.prior_weight.automatic) options.metric_weight = section.prior_weight.value;
  if (!section.torque_scale_sd.automatic) options.torque_scale_sd = section.torque_scale_sd.value;
  if (!section.gamma.automatic) options.gamma = section.gamma.value;
  return options;
}

}  // namespace

Result<PayloadOptions> read_payload_options(const std::string& path) {
  HEFT_TRY(text, read_text_whole(path, kLargestConfiguration));
  return payload_options_from_yaml(text, path);
}

Result<PayloadOptions> read_payload_options(const std::string& path, Configuration& configuration) {
  HEFT_TRY(read, read_configuration(path, configuration));
  configuration = std::move(read);
  HEFT_TRY(text, read_text_whole(path, kLargestConfiguration));
  return options_from_yaml(text, path, Beside::a_robot);
}

Result<PayloadOptions> payload_options_from_yaml(const std::string& text, const std::string& path,
                                                 Configuration& configuration) {
  HEFT_TRY(read, configuration_from_yaml(text, path, configuration));
  configuration = std::move(read);
  return options_from_yaml(text, path, Beside::a_robot);
}

Result<PayloadOptions> payload_options_from_yaml(const std::string& text, const std::string& path) {
  return options_from_yaml(text, path, Beside::nothing);
}

}  // namespace heft
