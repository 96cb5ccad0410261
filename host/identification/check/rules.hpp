// Definition and lists of rules. A rule tests one subject and returns its evidence, or nothing; its
// name, severity and order are in rule_table.cpp.
#pragma once

#include <optional>
#include <string>

#include "heft/check/check.hpp"
#include "robot_facts.hpp"

namespace heft::check {

struct Evidence {
  std::string what;
  double measure = 0;
  std::string unit;
  std::string remedy;
  std::string where;  ///< file:line; empty: the link or joint as a whole
};
using MaybeEvidence = std::optional<Evidence>;

// mass_rules.cpp
MaybeEvidence mass_missing(const RobotFacts&, const LinkFacts&);
MaybeEvidence tensor_missing(const RobotFacts&, const LinkFacts&);
MaybeEvidence mass_negative(const RobotFacts&, const LinkFacts&);
MaybeEvidence mass_zero_with_tensor(const RobotFacts&, const LinkFacts&);
MaybeEvidence leaf_without_mass(const RobotFacts&, const LinkFacts&);
MaybeEvidence body_without_mass(const RobotFacts&, const LinkFacts&);
MaybeEvidence mass_placeholder(const RobotFacts&, const LinkFacts&);
MaybeEvidence mass_unit_slip(const RobotFacts&, const LinkFacts&);
MaybeEvidence density_too_high(const RobotFacts&, const LinkFacts&);
MaybeEvidence density_too_low(const RobotFacts&, const LinkFacts&);

// tensor_rules.cpp
MaybeEvidence tensor_units(const RobotFacts&, const LinkFacts&);
MaybeEvidence tensor_zero(const RobotFacts&, const LinkFacts&);
MaybeEvidence tensor_default(const RobotFacts&, const LinkFacts&);
MaybeEvidence products_sign(const RobotFacts&, const LinkFacts&);
MaybeEvidence tensor_entries(const RobotFacts&, const LinkFacts&);
MaybeEvidence tensor_shifted(const RobotFacts&, const LinkFacts&);
MaybeEvidence moment_negative(const RobotFacts&, const LinkFacts&);
MaybeEvidence triangle_inequality(const RobotFacts&, const LinkFacts&);
MaybeEvidence placeholder_impossible(const RobotFacts&,
                                     const LinkFacts&);  // one of the two above, almost massless
MaybeEvidence impossible_by_rounding(const RobotFacts&, const LinkFacts&);
MaybeEvidence tensor_about_link_origin(const RobotFacts&, const LinkFacts&);
MaybeEvidence tensor_in_wrong_frame(const RobotFacts&, const LinkFacts&);
MaybeEvidence tensor_copied(const RobotFacts&, const LinkFacts&);
MaybeEvidence tensor_too_small(const RobotFacts&, const LinkFacts&);
MaybeEvidence tensor_flat(const RobotFacts&, const LinkFacts&);

// place_rules.cpp
MaybeEvidence mesh_in_millimeters(const RobotFacts&, const LinkFacts&);
MaybeEvidence meshes_unread(const RobotFacts&);
MaybeEvidence com_units(const RobotFacts&, const LinkFacts&);
MaybeEvidence com_outside_geometry(const RobotFacts&, const LinkFacts&);
MaybeEvidence com_beyond_reach(const RobotFacts&, const LinkFacts&);
MaybeEvidence spread_beyond_geometry(const RobotFacts&, const LinkFacts&);

// joint_rules.cpp
MaybeEvidence unused_number(const RobotFacts&, const JointFacts&);
MaybeEvidence axis_zero(const RobotFacts&, const JointFacts&);
MaybeEvidence axis_not_unit(const RobotFacts&, const JointFacts&);
MaybeEvidence limit_missing(const RobotFacts&, const JointFacts&);
MaybeEvidence limits_inverted(const RobotFacts&, const JointFacts&);
MaybeEvidence limits_in_degrees(const RobotFacts&, const JointFacts&);
MaybeEvidence limits_in_millimeters(const RobotFacts&, const JointFacts&);
MaybeEvidence limits_without_range(const RobotFacts&, const JointFacts&);
MaybeEvidence effort_negative(const RobotFacts&, const JointFacts&);
MaybeEvidence velocity_negative(const RobotFacts&, const JointFacts&);
MaybeEvidence effort_zero(const RobotFacts&, const JointFacts&);
MaybeEvidence velocity_zero(const RobotFacts&, const JointFacts&);
MaybeEvidence friction_negative(const RobotFacts&, const JointFacts&);
MaybeEvidence origin_in_millimeters(const RobotFacts&, const JointFacts&);
MaybeEvidence angle_in_degrees(const RobotFacts&, const JointFacts&);
MaybeEvidence angle_rounded(const RobotFacts&, const JointFacts&);

// mirror_rules.cpp
MaybeEvidence mirror_mass(const RobotFacts&, const LinkFacts&);
MaybeEvidence mirror_com(const RobotFacts&, const LinkFacts&);
MaybeEvidence mirror_com_side(const RobotFacts&, const LinkFacts&);
MaybeEvidence mirror_moments(const RobotFacts&, const LinkFacts&);
MaybeEvidence mirror_products(const RobotFacts&, const LinkFacts&);

}  // namespace heft::check
