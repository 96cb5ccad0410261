// The section `payload` of a YAML file: every option described once.
#include "heft/config/payload_options.hpp"

#include <filesystem>

#include "field_reader.hpp"
#include "files/whole_file.hpp"

namespace heft {

namespace {

/// As the file has them, before they are options.
struct PayloadSection {
  PayloadOptions options;
  std::vector<double> mounting, parameters, box;
  std::string points;
  NumberOrAuto prior_weight{.automatic = true}, gamma{.automatic = true};
};

auto one_of_signs() {
  return [](double sign) { return sign == 1 || sign == -1 ? std::string() : std::string("must be 1 or -1"); };
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
        "of points in mesh or box, for pmd; 0: 0.04, but at least 100 points", config::not_negative());
  visit("box", o.box, "m", "sizes of a box, placed by --pose", so_many(3));
}

template <class Visitor>
void describe(PayloadSection& o, Visitor&& visit) {
  visit("sign", o.options.sensor.sign, "", "-1 for a sensor that reports what the payload exerts on it",
        one_of_signs());
  visit("wrench_frame", o.options.sensor.wrench_frame, "", "axes in which the log has the wrench");
  visit("gravity", o.options.sensor.gravity, "m/s^2", "of free fall, where the log has orientations",
        config::positive());
  visit("mounting", o.mounting, "m, rad",
        "x, y, z, roll, pitch, yaw of the sensor in the frame whose motion is logged", so_many(6));
  visit("bias", o.options.bias, "",
        "unknown offsets of the sensor: none, six a log, six a segment (between gaps)");
  visit("lowpass_hz", o.options.lowpass_hz, "Hz", "of rows and wrench alike, for auto; 0: none",
        config::not_negative());
  visit("prior_weight", o.prior_weight, "", "w of metric and auto, or auto", automatic_or_positive());
  visit("gamma", o.gamma, "", "of geo and pullback, or auto", automatic_or_positive());
  visit("c1", o.options.c1, "m^2/s^4", "of pmd: where motion begins to count", config::positive());
  visit("lambda", o.options.lambda, "", "of pmd: how alike its masses are", config::positive());
  visit("known_mass", o.options.known_mass, "kg", "0: unknown", config::not_negative());
}

Result<PayloadSection> section_of(const YAML::Node& root, const std::string& path) {
  PayloadSection section;
  if (root.IsNull()) return section;
  if (!root.IsMap())
    return Error{path, "must be a mapping with the section payload",
                 "write 'payload:' and its options below, indented"};
  config::FieldReader reader(root, path);
  reader.section("payload", [&](config::FieldReader& inside) {
    describe(section, inside);
    inside.section("prior", [&](config::FieldReader& prior) { describe_prior(section, prior); });
  });
  if (const auto error = reader.finish()) return *error;
  return section;
}

Result<PayloadSection> section_from_text(const std::string& text, const std::string& path) {
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    HEFT_CHECK(config::check_one_document(documents.size(), path));
    return section_of(documents.empty() ? YAML::Node() : documents.front(), path);
  } catch (const YAML::Exception& e) {
    return Error{e.mark.is_null() ? path : path + ":" + std::to_string(e.mark.line + 1),
                 "is not valid YAML: " + e.msg, "mend the line, or the one before it"};
  }
}

}  // namespace

Result<PayloadOptions> read_payload_options(const std::string& path) {
  HEFT_TRY(text, read_text_whole(path, kLargestConfiguration));
  return payload_options_from_yaml(text, path);
}

Result<PayloadOptions> payload_options_from_yaml(const std::string& text, const std::string& path) {
  HEFT_TRY(section, section_from_text(text, path));
  PayloadOptions options = section.options;
  if (!section.mounting.empty()) {
    HEFT_TRY(pose, pose_of(section.mounting, path + ": payload.mounting"));
    options.sensor.mounting = pose;
  }
  if (!section.parameters.empty())
    options.prior.parameters = Eigen::Map<const BodyParameters>(section.parameters.data());
  if (!section.box.empty()) options.prior.box = Eigen::Map<const Eigen::Vector3d>(section.box.data());
  options.prior.points = section.points;
  if (!section.points.empty() && std::filesystem::path(section.points).is_relative())
    options.prior.points = (std::filesystem::path(path).parent_path() / section.points).string();
  if (!section.prior_weight.automatic) options.prior_weight = section.prior_weight.value;
  if (!section.gamma.automatic) options.gamma = section.gamma.value;
  return options;
}

}  // namespace heft
