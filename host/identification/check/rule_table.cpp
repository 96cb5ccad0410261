#include "rule_table.hpp"

#include <fmt/format.h>

#include "check/position_rules.hpp"

namespace heft {

namespace check {

namespace {

constexpr Severity kError = Severity::error, kWarning = Severity::warning, kNote = Severity::note;

RuleTable make_table() {
  RuleTable table;
  table.reader = {{"structure",
                   kError,
                   {},
                   "errors of the reader: two roots, cycles, names that do not exist, .."},
                  {"not-a-number", kError, {}, "not a number"}};
  table.robot = {{0,
                  {{"meshes-unread", kNote, meshes_unread,
                    "meshes not found or not readable: geometry is not compared"}}}};
  table.link = {
      {0,
       {{"mass-missing", kError, mass_missing, "an <inertial> without a mass"},
        {"tensor-missing", kError, tensor_missing, "an <inertial> without six numbers of a tensor"},
        {"mass-negative", kError, mass_negative, "a mass below zero"},
        {"mass-zero-with-tensor", kError, mass_zero_with_tensor,
         "moments of inertia without a mass"},
        {"placeholder-impossible", kError, placeholder_impossible,
         "almost no mass, and a tensor that no body has: simulators refuse the file"},
        {"mass-placeholder", kNote, mass_placeholder,
         "almost no mass: a frame with the mass that some programs require"},
        {"leaf-without-mass", kWarning, leaf_without_mass,
         "the last link of a chain moves and has no mass"},
        {"body-without-mass", kNote, body_without_mass,
         "a link inside a chain moves and has no mass"}}},
      {0, {{"mesh-in-millimetres", kError, mesh_in_millimeters, "geometry 1000 times too large"}}},
      {1, {{"mass-in-grams", kError, mass_unit_slip, "a mass 1000 times too large"}}},
      {1, {{"com-in-millimetres", kError, com_units, "a center of mass 1000 times too far away"}}},
      {2,
       {{"density-too-high", kWarning, density_too_high, "denser than any material"},
        {"density-too-low", kWarning, density_too_low, "lighter than foam"}}},
      {2,
       {{"com-outside-geometry", kWarning, com_outside_geometry,
         "the center of mass is outside the shapes"},
        {"com-beyond-reach", kWarning, com_beyond_reach,
         "the center of mass is beyond the robot's reach"}}},
      {2,
       {{"tensor-zero", kWarning, tensor_zero, "mass in a point"},
        {"tensor-default", kWarning, tensor_default,
         "a placeholder: 1, 0.1, 1e-3 .. times the identity"},
        {"tensor-unit-slip", kError, tensor_units, "a tensor in g m^2, kg mm^2, g mm^2, .."},
        {"products-sign", kError, products_sign,
         "impossible, but not with products of the other sign"},
        {"tensor-entries-swapped", kError, tensor_entries, "impossible, but not in another order"},
        {"tensor-shifted-twice", kError, tensor_shifted,
         "impossible: parallel axes subtracted once too often"},
        {"moment-negative", kError, moment_negative, "impossible: a principal moment below zero"},
        {"triangle-inequality", kError, triangle_inequality,
         "impossible: one moment exceeds the others' sum"},
        {"impossible-by-rounding", kWarning, impossible_by_rounding,
         "impossible by less than the rounding of its decimals"},
        {"tensor-about-link-origin", kWarning, tensor_about_link_origin,
         "about the origin of the link"},
        {"tensor-in-wrong-frame", kWarning, tensor_in_wrong_frame,
         "fits the geometry in other axes"},
        {"tensor-copied", kWarning, tensor_copied, "one tensor on three links of different mass"},
        {"spread-beyond-geometry", kWarning, spread_beyond_geometry,
         "mass where the link has no shape"},
        {"tensor-too-small", kWarning, tensor_too_small,
         "mass as if in the middle of a large link"},
        {"tensor-flat", kNote, tensor_flat, "a body without thickness"}}},
      {2, {{"mirror-mass-differs", kWarning, mirror_mass, "left and right have different masses"}}},
      {2,
       {{"mirror-com-differs", kWarning, mirror_com,
         "left and right have different centers of mass"},
        {"mirror-com-side", kWarning, mirror_com_side,
         "left and right differ in a sign of the center of mass"}}},
      {2,
       {{"mirror-moments-differ", kWarning, mirror_moments,
         "left and right have different moments"},
        {"mirror-products-side", kWarning, mirror_products,
         "left and right differ in the signs of the products"}}}};
  table.joint = {
      {0,
       {{"number-unused", kWarning, unused_number,
         "not a number, where the joint's type needs none"}}},
      {0,
       {{"axis-zero", kError, axis_zero, "an axis without direction"},
        {"axis-not-unit", kWarning, axis_not_unit, "an axis whose length is not one"}}},
      {0,
       {{"limit-missing", kError, limit_missing,
         "revolute or prismatic without <limit effort velocity>"},
        {"limits-inverted", kError, limits_inverted, "lower above upper"},
        {"limits-in-degrees", kError, limits_in_degrees, "a range of many turns"},
        {"limits-in-millimetres", kError, limits_in_millimeters, "a stroke far beyond the robot"},
        {"limits-without-range", kWarning, limits_without_range, "a joint that cannot move"}}},
      {0,
       {{"effort-negative", kError, effort_negative, "an effort limit below zero"},
        {"effort-zero", kWarning, effort_zero, "no effort: simulators hold the joint"}}},
      {0,
       {{"velocity-negative", kError, velocity_negative, "a velocity limit below zero"},
        {"velocity-zero", kWarning, velocity_zero, "no velocity: planners hold the joint"}}},
      {0, {{"friction-negative", kError, friction_negative, "damping or friction below zero"}}},
      {0,
       {{"origin-in-millimetres", kError, origin_in_millimeters,
         "a joint 1000 times too far away"}}},
      {0,
       {{"angle-in-degrees", kError, angle_in_degrees, "rpy of many turns"},
        {"angle-rounded", kNote, angle_rounded, "1.57 for a right angle"}}}};

  table.clock = {
      {0,
       {{"rows-foreign", kError, rows_foreign,
         "rows of another source between those of the robot"}}},
      {0, {{"time-missing", kError, time_missing, "a row without a time"}}},
      {0, {{"time-backwards", kError, time_backwards, "time goes backwards"}}},
      {0,
       {{"time-quantized", kError, time_quantized,
         "stamps as coarse as the period, and lost rows whose times are unknown"}}},
      {0,
       {{"time-in-milliseconds", kError, time_in_milliseconds,
         "steps of more than half a second"}}},
      {0, {{"time-repeated", kWarning, time_repeated, "rows of the same time"}}},
      {0, {{"time-gap", kWarning, time_gap, "a pause of more than ten periods"}}},
      {0, {{"time-jitter", kWarning, time_jitter, "steps that are not multiples of the period"}}},
      {0,
       {{"stamps-late", kWarning, stamps_late,
         "rows sampled earlier or later than their stamps, according to motion common to several "
         "joints"}}},
      {0, {{"rate-low", kWarning, rate_low, "fewer than 50 samples per second"}}},
      {0, {{"log-short", kWarning, log_short, "less than 3 s"}}},
      {0, {{"log-cut", kNote, log_cut, "so long that its end is not examined row by row"}}}};
  table.column = {
      {0, {{"value-missing", kWarning, value_missing, "rows without a number"}}},
      {0, {{"signal-spikes", kWarning, signal_spikes, "single samples far from their neighbors"}}},
      {0, {{"signal-stuck", kError, signal_stuck, "the same number over a stretch, then a jump"}}}};
  table.position = {
      {0,
       {{"position-of-other-joint", kWarning, position_of_other_joint,
         "identical to the position of another joint"}}},
      {0,
       {{"position-wrapped", kError, position_wrapped, "angles jump by a whole turn"},
        {"position-motor-side", kError, position_motor_side,
         "angles of the motor, before the gear"},
        {"position-in-degrees", kError, position_in_degrees, "angles of many turns"},
        {"joint-still", kWarning, joint_still, "a joint that hardly moves"},
        {"position-beyond-limits", kWarning, position_beyond_limits,
         "outside the limits of the URDF"}}},
      {0,
       {{"joints-by-number", kNote, joints_by_number,
         "numbered columns on a branching robot: the joint of each number is uncertain"}}},
      {0, {{"position-quantized", kWarning, position_quantized, "coarse steps of an encoder"}}}};
  table.readings = {
      {"position-turns", kError, {}, "angles in turns, according to the torques"},
      {"position-ticks", kError, {}, "steps of an encoder or servo, with or without an offset"},
      {"position-percent", kError, {}, "percent of the joint's range"},
      {"position-millimeters", kError, {}, "travels in millimeters"},
      {"position-centimeters", kError, {}, "travels in centimeters"},
      {"position-inches", kError, {}, "travels in inches"}};
  table.velocity = {
      {0,
       {{"velocity-reversed", kError, velocity_reversed, "minus the position's derivative"},
        {"velocity-in-degrees", kError, velocity_in_degrees, "57.3 times the derivative"},
        {"velocity-of-other-joint", kError, velocity_of_other_joint,
         "the derivative of another joint's position"},
        {"velocity-mismatch", kWarning, velocity_mismatch, "not the derivative of the position"}}},
      {0,
       {{"velocity-not-used", kNote, velocity_not_used, "logged velocities that no option uses"}}}};
  table.acceleration = {{0,
                         {{"acceleration-mismatch", kError, acceleration_mismatch,
                           "not the second derivative of the position"}}}};
  table.torque = {
      {0,
       {{"torque-dead", kWarning, torque_dead, "the same torque in every row"},
        {"torque-saturated", kWarning, torque_saturated, "clipped at the largest torque"}}},
      {0,
       {{"torque-beyond-effort", kError, torque_beyond_effort,
         "200 times the effort limit of the robot's file: another unit"}}},
      {0, {{"torque-jumps", kWarning, torque_jumps, "many single torques far off"}}},
      {0,
       {{"torque-copied", kError, torque_copied,
         "identical to the torque of another joint, or to a position or velocity"}}}};
  table.torques = {
      {"torque-without-gravity", kError, {}, "torques from which gravity was subtracted"},
      {"torque-external", kError, {}, "torques from which the whole model was subtracted"},
      {"torque-reversed", kError, {}, "minus the torque that the URDF predicts"},
      {"position-reversed", kError, {}, "the joint's sign is opposite to the URDF's axis"},
      {"joint-reversed", kError, {}, "position and torque have signs opposite to the URDF's axis"},
      {"torques-swapped", kError, {}, "two torque columns swapped"},
      {"positions-swapped", kError, {}, "two position columns swapped"},
      {"joints-swapped", kError, {}, "all columns of two joints swapped"},
      {"joints-permuted",
       kError,
       {},
       "all columns of joints in another order: legs, arms, a chain from its end"},
      {"gravity-direction",
       kError,
       {},
       "gravity has another direction than configured: a ceiling, "
       "a wall"},
      {"torque-motor-side",
       kError,
       {},
       "a small fraction of the torque: before the gear, or a current"},
      {"torque-unit", kError, {}, "many times the torque: another unit"},
      {"torque-delay", kError, {}, "torque and position belong to different times"},
      {"torque-below-gravity",
       kError,
       {},
       "almost zero where the robot's file predicts large torques"},
      {"torque-offset", kWarning, {}, "a constant torque"},
      {"not-excited", kWarning, {}, "base parameters that the motion does not identify"},
      {"wrench-reversed",
       kError,
       {},
       "floating base: a wrench of `wrenches` has the opposite sign"},
      {"wrench-axes",
       kError,
       {},
       "floating base: a wrench fits in the axes of the root link or of the world"},
      {"wrench-delay", kError, {}, "floating base: wrenches are late or early"},
      {"wrench-missing", kError, {}, "floating base: a force that no wrench names carries it"},
      {"imu-rotated", kError, {}, "floating base: the IMU is upside down or rotated"},
      {"contacts-unmeasured", kError, {}, "floating base: it stands without wrenches or contacts"},
      {"contact-state",
       kError,
       {},
       "floating base: a contact carries the robot while its state is not in contact"},
      {"quaternion-order",
       kError,
       {},
       "floating base: the quaternion of the base is in the other order"},
      {"contact-delay", kError, {}, "floating base: states of contacts are late or early"},
      {"base-moves",
       kNote,
       {},
       "torques of a robot whose base moves are not compared with its file"},
      {"torque-not-tested",
       kError,
       {},
       "the log cannot be conditioned: nothing can be identified from it"}};
  return table;
}

template <class Test>
std::string lines_of(const std::vector<Rule<Test>>& rules) {
  std::string text;
  for (const Rule<Test>& rule : rules)
    text += fmt::format("{:<8} {:<24} {}\n", enum_name(rule.severity), rule.name, rule.meaning);
  return text;
}

template <class Test>
std::string lines_of(const RuleGroups<Test>& groups) {
  std::string text;
  for (const RuleGroup<Test>& group : groups) text += lines_of(group.rules);
  return text;
}

}  // namespace

const RuleTable& rule_table() {
  static const RuleTable kTable = make_table();
  return kTable;
}

}  // namespace check

std::vector<std::string> log_rule_names() {
  const check::RuleTable& table = check::rule_table();
  std::vector<std::string> names;
  const auto add = [&](const auto& groups) {
    for (const auto& group : groups)
      for (const auto& rule : group.rules) names.emplace_back(rule.name);
  };
  add(table.clock);
  add(table.column);
  add(table.position);
  for (std::string& name : position_unit_rules()) names.push_back(std::move(name));
  add(table.velocity);
  add(table.acceleration);
  add(table.torque);
  for (const auto& rule : table.torques) names.emplace_back(rule.name);
  return names;
}

std::vector<std::string> position_unit_rules() {
  std::vector<std::string> names;
  for (const auto& rule : check::rule_table().readings) names.emplace_back(rule.name);
  return names;
}

std::string format_check_rules() {
  const check::RuleTable& table = check::rule_table();
  return "robot files:\n" + check::lines_of(table.reader) + check::lines_of(table.robot) +
         check::lines_of(table.link) + check::lines_of(table.joint) + "\nlogs:\n" +
         check::lines_of(table.clock) + check::lines_of(table.column) +
         check::lines_of(table.position) + check::lines_of(table.readings) +
         check::lines_of(table.velocity) + check::lines_of(table.acceleration) +
         check::lines_of(table.torque) + check::lines_of(table.torques);
}

}  // namespace heft
