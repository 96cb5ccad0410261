// Bytes as a robot file: read with both kinds of base, checked, and written again.
#include <cmath>

#include "heft/robot/robot_document.hpp"
#include "tests/fuzz/bytes_file.hpp"

namespace heft::fuzz {

namespace {

void require_finite(const Robot& robot) {
  for (const Body& body : robot.bodies) {
    require(
        body.prior.allFinite() && body.X_parent_body.matrix().allFinite() && body.axis.allFinite(),
        "inertias and poses are finite");
    require(std::isfinite(body.ratio) && std::isfinite(body.offset),
            "ratios and offsets are finite");
    require(body.type == JointType::rigid || body.coordinate < robot.num_coordinates(),
            "coordinates of bodies exist");
  }
}

// what was written is the same robot; priors of no real object are refused instead
void write_again(const Robot& robot) {
  std::vector<BodyParameters> parameters;
  for (const Body& body : robot.bodies) parameters.push_back(body.prior);
  const auto text = with_identified(robot, parameters);
  if (!is_value(text)) return;
  const auto again =
      read_robot_text("again.urdf", *text, "", {.floating_base = robot.floating_base});
  if (is_value(again))
    require(again->num_bodies() == robot.num_bodies(), "a written robot has its bodies");
}

}  // namespace

}  // namespace heft::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heft;
  const fuzz::BytesFile file(data, size);
  for (const bool floating_base : {false, true}) {
    const auto robot = read_robot(file.path(), {.floating_base = floating_base});
    if (!fuzz::is_value(robot)) continue;
    fuzz::require_finite(*robot);
    fuzz::write_again(*robot);
  }
  const auto document = load_robot_document(file.path());
  if (fuzz::is_value(document)) fuzz::require_sound(check_robot(**document));
  return 0;
}
