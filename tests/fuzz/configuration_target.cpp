// Bytes as a YAML file: as a configuration, which must be recovered from both of its echoes and
// apply to a robot or be rejected, and as the rotors of the small robot.
#include "heft/config/module_options.hpp"
#include "tests/fuzz/small_robot.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heft;
  const fuzz::BytesFile file(data, size);
  if (const auto configuration = read_configuration(file.path()); fuzz::is_value(configuration)) {
    const std::string echo = to_json(*configuration);
    const auto from_echo = configuration_from_json(echo, "echo");
    fuzz::require(fuzz::is_value(from_echo) && to_json(*from_echo) == echo,
                  "the JSON echo reads back");
    const fuzz::BytesFile yaml(to_yaml(*configuration));
    const auto from_yaml = read_configuration(yaml.path());
    fuzz::require(fuzz::is_value(from_yaml), "the YAML echo reads back");
    (void)fuzz::is_value(make_setup(fuzz::small_robot(), setup_options(*configuration)));
  }
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto robot = read_robot_text("crane.urdf", fuzz::kSmallRobot, text);
  if (fuzz::is_value(robot))
    for (const Body& body : robot->bodies)
      fuzz::require(body.prior.allFinite() && body.X_parent_body.matrix().allFinite(),
                    "rotors are finite");
  return 0;
}
