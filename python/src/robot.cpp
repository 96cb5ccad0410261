// Robots from URDF files or texts, and their rows at given states.
#include "robot.hpp"

#include <algorithm>
#include <map>

#include "arrays.hpp"
#include "base/parallel_for.hpp"
#include "errors.hpp"
#include "files/name_hint.hpp"
#include "heft/config/module_options.hpp"
#include "long_call.hpp"

namespace heft::python {

namespace {

Result<PyRobot> with_mechanics(RobotOptions options, Robot robot) {
  HEFT_TRY(mechanics, Mechanics::make(robot));
  return PyRobot{std::move(options), std::move(robot), std::move(mechanics)};
}

using Locked = std::map<std::string, double>;

RobotOptions options_of(bool floating_base, const std::optional<std::vector<double>>& gravity,
                        const std::string& rotors, const Locked& locked) {
  RobotOptions options{
      .floating_base = floating_base, .rotors_path = rotors, .locked_joints = locked};
  if (gravity) options.gravity = Eigen::Map<const Eigen::Vector3d>(gravity->data());
  return options;
}

RobotPtr from_urdf(const std::string& path, bool floating_base,
                   const std::optional<std::vector<double>>& gravity, const std::string& rotors,
                   const Locked& locked) {
  const RobotOptions options = options_of(floating_base, gravity, rotors, locked);
  const nb::gil_scoped_release released;
  return std::make_shared<PyRobot>(
      unwrap(with_mechanics(options, unwrap(read_robot(path, options)))));
}

RobotPtr from_text(const std::string& name, const nb::bytes& text_bytes,
                   const nb::bytes& rotors_bytes, bool floating_base,
                   const std::optional<std::vector<double>>& gravity, const std::string& rotors,
                   const Locked& locked) {
  const RobotOptions options = options_of(floating_base, gravity, rotors, locked);
  const std::string text(text_bytes.c_str(), text_bytes.size());
  const std::string rotors_text(rotors_bytes.c_str(), rotors_bytes.size());
  const nb::gil_scoped_release released;
  Robot robot = unwrap(read_robot_text(name, text, rotors_text, options));
  return std::make_shared<PyRobot>(unwrap(with_mechanics(options, std::move(robot))));
}

NumpyArray new_rows(RowMemory& memory, std::initializer_list<std::size_t> shape, double*& first) {
  constexpr std::size_t kLarge = std::size_t{4} << 20;
  std::size_t size = sizeof(double);
  for (const std::size_t n : shape) size *= n;
  if (size < kLarge) return new_array(shape, first);
  const auto [begin, owner] = memory.take(size);
  first = static_cast<double*>(begin);
  return NumpyArray(first, shape.size(), shape.begin(), owner);
}

/// Rows at all states, states x rows x parameters. Shapes were checked in Python.
NumpyArray rows_at(const PyRobot& robot, const std::string& kind_name, const Matrix& q,
                   const Matrix& qd, const Matrix& qdd, int threads) {
  const auto kind = enum_value<MechanicsRow>(kind_name);
  if (!kind) {
    std::vector<std::string> names;
    for (const auto& entry : EnumNames<MechanicsRow>::kList) names.push_back(entry.name);
    throw Failure{{"kind", "unknown kind of rows '" + kind_name + "'",
                   name_hint(kind_name, names, "one of:")}};
  }
  const Mechanics& mechanics = robot.mechanics;
  const States states{view_of(q), view_of(qd), view_of(qdd)};
  double* first = nullptr;
  NumpyArray result = new_rows(*robot.row_memory,
                               {static_cast<std::size_t>(states.q.num_rows),
                                static_cast<std::size_t>(mechanics.num_rows(*kind)),
                                static_cast<std::size_t>(mechanics.num_parameters())},
                               first);
  LongCall call{nb::none()};
  call.run([&](const Progress& progress) {
    return mechanics.put_all_rows(*kind, states, first, threads_for(threads), progress);
  });
  return result;
}

/// One row per body of the layout, in the order of core::Parameter.
NumpyArray prior_of(const PyRobot& robot) {
  const ParameterLayout& layout = robot.mechanics.plan().layout;
  Eigen::MatrixXd prior(layout.num_bodies(), core::kNumParameters);
  for (int i = 0; i < layout.num_bodies(); ++i)
    prior.row(i) = robot.robot.bodies[static_cast<std::size_t>(layout.body_index[i])].prior;
  return copy_of(prior);
}

}  // namespace

Result<Robot> robot_as_configured(const PyRobot& robot, const Configuration& configuration) {
  const RobotOptions options = robot_options(configuration);
  // other rotors than those that the robot was read with lie in a file of their own
  if (options.rotors_path != robot.options.rotors_path)
    return read_robot(robot.robot.source, options);
  return read_robot_text(robot.robot.source, robot.robot.source_text, robot.robot.rotors_text,
                         options);
}

void bind_robot(nb::module_& m) {
  nb::class_<PyRobot>(m, "Robot")
      .def_static("from_urdf", &from_urdf, nb::arg("path"), nb::arg("floating_base"),
                  nb::arg("gravity").none(), nb::arg("rotors"), nb::arg("locked"))
      .def_static("from_text", &from_text, nb::arg("name"), nb::arg("text"), nb::arg("rotors_text"),
                  nb::arg("floating_base"), nb::arg("gravity").none(), nb::arg("rotors"),
                  nb::arg("locked"))
      .def_prop_ro("name", [](const PyRobot& r) { return r.robot.name; })
      .def_prop_ro("source", [](const PyRobot& r) { return r.robot.source; })
      .def_prop_ro("text",
                   [](const PyRobot& r) {
                     return nb::bytes(r.robot.source_text.data(), r.robot.source_text.size());
                   })
      .def_prop_ro("rotors_text",
                   [](const PyRobot& r) {
                     return nb::bytes(r.robot.rotors_text.data(), r.robot.rotors_text.size());
                   })
      .def_prop_ro("rotors", [](const PyRobot& r) { return r.options.rotors_path; })
      .def_prop_ro("locked", [](const PyRobot& r) { return r.options.locked_joints; })
      .def_prop_ro("floating_base", [](const PyRobot& r) { return r.robot.floating_base; })
      .def_prop_ro("gravity",
                   [](const PyRobot& r) {
                     return std::vector<double>(r.options.gravity.data(),
                                                r.options.gravity.data() + 3);
                   })
      .def_prop_ro("bodies", [](const PyRobot& r) { return r.mechanics.plan().layout.bodies; })
      .def_prop_ro("joints", [](const PyRobot& r) { return names_of(r.robot.coordinates); })
      .def_prop_ro("channels",
                   [](const PyRobot& r) { return names_of(r.mechanics.plan().channels); })
      .def_prop_ro("state_names", [](const PyRobot& r) { return r.mechanics.state_names(); })
      .def_prop_ro("prior", &prior_of, nb::rv_policy::automatic)
      .def("rows", &rows_at, nb::arg("kind"), nb::arg("q").noconvert(), nb::arg("qd").noconvert(),
           nb::arg("qdd").noconvert(), nb::arg("threads"));
}

}  // namespace heft::python
