// Options from a YAML file, or from text that the Python layer makes from a dictionary.
#include "heft/config/configuration.hpp"

#include "errors.hpp"
#include "module.hpp"
#include "robot.hpp"

namespace heft::python {

void bind_configuration(nb::module_& m) {
  nb::class_<Configuration>(m, "Configuration", "All options of an identification.")
      .def(nb::init<>())
      .def_static(
          "of_robot",
          [](const PyRobot& robot) {
            Configuration configuration;
            configuration.robot = robot.options;
            return configuration;
          },
          nb::arg("robot"), "The defaults, with the options by which a robot was read.")
      .def_prop_ro(
          "locked", [](const Configuration& c) { return c.robot.locked_joints; },
          "Joints that stand still, with their positions.")
      .def_static(
          "read",
          [](const std::string& path, const Configuration& base) {
            return unwrap(read_configuration(path, base));
          },
          nb::arg("path"), nb::arg("base"), "A YAML file over `base`.")
      .def_static(
          "from_text",
          [](const std::string& text, const std::string& where, const Configuration& base) {
            return unwrap(configuration_from_yaml(text, where, base));
          },
          nb::arg("text"), nb::arg("where"), nb::arg("base"), "A YAML or JSON text over `base`.")
      .def_prop_ro(
          "notes", [](const Configuration& c) { return c.notes; },
          "Deprecated option names that were read, each with its replacement.")
      .def_prop_ro(
          "json", [](const Configuration& c) { return to_json(c); }, "Every option.")
      .def_prop_ro(
          "yaml", [](const Configuration& c) { return to_yaml(c); },
          "Options that differ from the defaults.");
}

}  // namespace heft::python
