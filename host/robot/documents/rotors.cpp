#include "rotors.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <set>

namespace heft {

namespace {

// a symmetric prior may be off by the rounding of numbers typed by hand
constexpr double kSymmetryTolerance = 1e-6;

class RotorsFile {
 public:
  RotorsFile(const std::string& path, const Robot& robot, const UrdfFrames& frames)
      : path_(path), robot_(robot), frames_(frames) {}

  Result<std::vector<Body>> read(const YAML::Node& root) const {
    HEFT_CHECK(check_keys(root, "the file", {"rotors"}));
    const YAML::Node entries = root["rotors"];
    if (!entries || !entries.IsSequence()) {
      return Error{where(entries ? entries : root), "has no list 'rotors'",
                   "write 'rotors:' and, below it, one '- joint: ...' entry per rotor"};
    }
    std::vector<Body> rotors;
    for (const YAML::Node& entry : entries) {
      HEFT_TRY(rotor, read_rotor(entry));
      const auto has_its_name = [&](const Body& body) { return body.name == rotor.name; };
      if (std::any_of(rotors.begin(), rotors.end(), has_its_name) ||
          std::any_of(robot_.bodies.begin(), robot_.bodies.end(), has_its_name)) {
        return Error{where(entry), fmt::format("two bodies are named '{}'", rotor.name),
                     "give this rotor a unique 'name'"};
      }
      rotors.push_back(std::move(rotor));
    }
    return rotors;
  }

 private:
  std::string where(const YAML::Node& node) const {
    return fmt::format("{}:{}", path_, node.Mark().line + 1);
  }

  Result<Done> check_keys(const YAML::Node& map, const std::string& subject,
                          const std::set<std::string>& known) const {
    if (!map.IsMap()) {
      return Error{where(map), fmt::format("{} is not a list of 'key: value' pairs", subject),
                   fmt::format("use the keys {}", fmt::join(known, ", "))};
    }
    std::set<std::string> seen;
    for (const auto& pair : map) {
      const std::string key = pair.first.Scalar();
      if (!known.contains(key)) {
        return Error{where(pair.first), fmt::format("unknown key '{}' in {}", key, subject),
                     fmt::format("use {}", fmt::join(known, ", "))};
      }
      if (!seen.insert(key).second) {
        return Error{where(pair.first), fmt::format("key '{}' appears twice in {}", key, subject),
                     "remove one of them"};
      }
    }
    return Done{};
  }

  template <class T>
  Result<T> scalar(const YAML::Node& node, const char* key, const char* kind) const {
    T value{};
    if (node.IsScalar() && YAML::convert<T>::decode(node, value)) return value;
    return Error{where(node), fmt::format("'{}' is not {}", key, kind),
                 fmt::format("write {}", kind)};
  }

  Result<double> number(const YAML::Node& node, const char* key) const {
    HEFT_TRY(value, scalar<double>(node, key, "a number"));
    if (std::isfinite(value)) return value;
    return Error{where(node), fmt::format("'{}' is not finite", key), "write a finite number"};
  }

  Result<Eigen::Vector3d> vector(const YAML::Node& parent, const char* key,
                                 Eigen::Vector3d fallback) const {
    const YAML::Node node = parent[key];
    if (!node) return fallback;
    if (!node.IsSequence() || node.size() != 3) {
      return Error{where(node), fmt::format("'{}' is not a list of three numbers", key),
                   fmt::format("write {}: [a, b, c]", key)};
    }
    Eigen::Vector3d value;
    for (int i = 0; i < 3; ++i) {
      HEFT_TRY(component, number(node[i], key));
      value[i] = component;
    }
    return value;
  }

  Result<Eigen::Isometry3d> read_origin(const YAML::Node& origin) const {
    if (!origin) return Eigen::Isometry3d::Identity();
    HEFT_CHECK(check_keys(origin, "'origin'", {"xyz", "rpy"}));
    HEFT_TRY(xyz, vector(origin, "xyz", Eigen::Vector3d::Zero()));
    HEFT_TRY(rpy, vector(origin, "rpy", Eigen::Vector3d::Zero()));
    Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
    X.linear() = (Eigen::AngleAxisd(rpy.z(), Eigen::Vector3d::UnitZ()) *
                  Eigen::AngleAxisd(rpy.y(), Eigen::Vector3d::UnitY()) *
                  Eigen::AngleAxisd(rpy.x(), Eigen::Vector3d::UnitX()))
                     .toRotationMatrix();
    X.translation() = xyz;
    return X;
  }

  Result<Eigen::Matrix3d> read_tensor(const YAML::Node& inertia) const {
    Eigen::Matrix3d tensor = Eigen::Matrix3d::Zero();
    if (!inertia) return tensor;
    HEFT_CHECK(check_keys(inertia, "'inertia'", {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}));
    constexpr const char* kEntries[3][3] = {
        {"ixx", "ixy", "ixz"}, {"ixy", "iyy", "iyz"}, {"ixz", "iyz", "izz"}};
    for (int row = 0; row < 3; ++row) {
      for (int column = row; column < 3; ++column) {
        const char* entry = kEntries[row][column];
        const YAML::Node node = inertia[entry];
        if (!node && row != column) continue;
        if (!node) {
          return Error{where(inertia), fmt::format("'inertia' has no '{}'", entry),
                       "give ixx, iyy and izz, about the center of mass"};
        }
        HEFT_TRY(value, number(node, entry));
        tensor(row, column) = tensor(column, row) = value;
      }
    }
    return tensor;
  }

  Result<Done> check_symmetry(const YAML::Node& entry, const Body& rotor,
                              const Eigen::Vector3d& com, const Eigen::Matrix3d& tensor) const {
    const Eigen::Vector3d& a = rotor.axis;
    const double axial = a.dot(tensor * a);
    const double transverse = 0.5 * (tensor.trace() - axial);
    const Eigen::Matrix3d nearest =
        transverse * Eigen::Matrix3d::Identity() + (axial - transverse) * a * a.transpose();
    if (a.cross(com).norm() <= kSymmetryTolerance * com.norm() &&
        (tensor - nearest).norm() <= kSymmetryTolerance * tensor.norm()) {
      return Done{};
    }
    return Error{
        where(entry),
        fmt::format("the prior of rotor '{}' is not symmetric about its axis", rotor.name),
        "put the center of mass on the axis and make the transverse inertias equal, or write "
        "'symmetric: false'"};
  }

  // the link that the rotor rides on
  Result<LinkFrame> read_site(const YAML::Node& entry, const std::string& joint) const {
    std::string link;
    if (const YAML::Node node = entry["link"]) {
      HEFT_TRY(name, scalar<std::string>(node, "link", "the name of a link"));
      link = name;
    } else if (const auto found = frames_.parent_links.find(joint);
               found != frames_.parent_links.end()) {
      link = found->second;
    } else {
      return Error{where(entry), fmt::format("joint '{}' has no parent link of its own", joint),
                   "set 'link' to the link that carries the motor"};
    }
    const auto frame = frames_.links.find(link);
    if (frame != frames_.links.end()) return frame->second;
    return Error{where(entry["link"]), fmt::format("the robot has no link '{}'", link),
                 "name the URDF link that carries the motor"};
  }

  Result<Body> read_rotor(const YAML::Node& entry) const {
    HEFT_CHECK(check_keys(entry, "a rotor",
                          {"joint", "link", "origin", "axis", "gear_ratio", "symmetric", "name",
                           "mass", "com", "inertia"}));
    for (const char* key : {"joint", "gear_ratio"}) {
      if (!entry[key]) {
        return Error{where(entry), fmt::format("the rotor has no '{}'", key),
                     fmt::format("add '{}: ...'", key)};
      }
    }
    HEFT_TRY(joint, scalar<std::string>(entry["joint"], "joint", "the name of a joint"));
    const auto driven =
        std::find_if(robot_.bodies.begin(), robot_.bodies.end(),
                     [&](const Body& body) { return body.joint == joint && body.coordinate >= 0; });
    if (driven == robot_.bodies.end()) {
      return Error{where(entry["joint"]), fmt::format("the robot has no moving joint '{}'", joint),
                   "name a joint of the URDF that is not fixed"};
    }
    HEFT_TRY(gear_ratio, number(entry["gear_ratio"], "gear_ratio"));
    if (gear_ratio == 0) {
      return Error{where(entry["gear_ratio"]), "gear_ratio is zero",
                   "give rotor turns per turn of the joint"};
    }
    HEFT_TRY(site, read_site(entry, joint));
    HEFT_TRY(X_link_rotor, read_origin(entry["origin"]));
    HEFT_TRY(axis, vector(entry, "axis", Eigen::Vector3d::UnitZ()));
    if (!(axis.stableNorm() > 0)) {
      return Error{where(entry["axis"]), "the rotor's axis is zero",
                   "give a direction, e.g. axis: [0, 0, 1]"};
    }

    Body rotor;
    rotor.name = joint + ".rotor";
    if (const YAML::Node node = entry["name"]) {
      HEFT_TRY(name, scalar<std::string>(node, "name", "a name"));
      rotor.name = name;
    }
    rotor.joint = joint;
    rotor.parent = site.body;
    rotor.type = JointType::revolute;
    rotor.X_parent_body = site.X_body_link * X_link_rotor;
    rotor.axis = axis.stableNormalized();
    rotor.coordinate = driven->coordinate;
    rotor.ratio = gear_ratio * driven->ratio;
    rotor.offset = gear_ratio * driven->offset;
    rotor.is_rotor = true;
    rotor.symmetric = true;
    if (const YAML::Node node = entry["symmetric"]) {
      HEFT_TRY(symmetric, scalar<bool>(node, "symmetric", "true or false"));
      rotor.symmetric = symmetric;
    }
    HEFT_CHECK(read_prior(entry, rotor));
    return rotor;
  }

  Result<Done> read_prior(const YAML::Node& entry, Body& rotor) const {
    const YAML::Node mass_node = entry["mass"];
    if (!mass_node && (entry["com"] || entry["inertia"])) {
      return Error{where(entry), "the prior has no 'mass'",
                   "add 'mass', or remove 'com' and 'inertia'"};
    }
    if (!mass_node) return Done{};
    HEFT_TRY(mass, number(mass_node, "mass"));
    if (mass < 0)
      return Error{where(mass_node), "the mass is negative", "give the rotor's mass in kg"};
    HEFT_TRY(com, vector(entry, "com", Eigen::Vector3d::Zero()));
    HEFT_TRY(tensor, read_tensor(entry["inertia"]));
    if (rotor.symmetric) HEFT_CHECK(check_symmetry(entry, rotor, com, tensor));
    rotor.prior = parameters_about_origin(mass, com, tensor);
    return Done{};
  }

  const std::string& path_;
  const Robot& robot_;
  const UrdfFrames& frames_;
};

}  // namespace

Result<std::vector<Body>> read_rotors(const std::string& path, const std::string& text,
                                      const Robot& robot, const UrdfFrames& frames) {
  const std::string remedy = "give a YAML file with a list 'rotors'";
  try {
    const YAML::Node root = YAML::Load(text);
    if (root.IsNull()) return Error{path, "is empty", remedy};
    return RotorsFile(path, robot, frames).read(root);
  } catch (const YAML::Exception& exception) {
    const YAML::Mark mark = exception.mark;
    const std::string where = mark.is_null() ? path : fmt::format("{}:{}", path, mark.line + 1);
    return Error{where, fmt::format("malformed YAML: {}", exception.msg), remedy};
  } catch (const std::exception& exception) {
    return Error{path, fmt::format("cannot be read: {}", exception.what()), remedy};
  }
}

}  // namespace heft
