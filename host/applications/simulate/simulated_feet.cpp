#include <fmt/format.h>

#include <algorithm>

#include "simulate/floating_motion.hpp"

namespace heft {

namespace {

Result<Done> add_foot(const Robot& robot, const std::string& where, SimulatedFoot foot,
                      std::vector<SimulatedFoot>& feet) {
  HEFT_TRY(place, find_link(robot, foot.frame, where + ": frame '" + foot.frame + "'"));
  foot.place = place;
  feet.push_back(std::move(foot));
  return Done{};
}

}  // namespace

Result<std::vector<SimulatedFoot>> simulated_feet(const Robot& robot, const SimulatedBase& base) {
  std::vector<SimulatedFoot> feet;
  const auto is_known = [&](const std::string& frame) {
    return std::ranges::any_of(feet,
                               [&](const SimulatedFoot& foot) { return foot.frame == frame; });
  };
  // a contact knows its type
  for (const ContactSpec& contact : base.contacts)
    if (!is_known(contact.frame))
      HEFT_CHECK(add_foot(robot, "contacts",
                          {.frame = contact.frame,
                           .place = {},
                           .type = contact.type,
                           .axis = contact.axis,
                           .radius = contact.radius},
                          feet));
  for (const WrenchSpec& wrench : base.wrenches)
    if (!is_known(wrench.frame))
      HEFT_CHECK(
          add_foot(robot, "wrenches: " + wrench.name,
                   {.frame = wrench.frame,
                    .place = {},
                    .type = wrench.columns.size() == 6 ? ContactType::plane : ContactType::point,
                    .radius = wrench.radius},
                   feet));
  const std::size_t least = base.gait == Gait::hung || base.gait == Gait::mounted ? 0
                            : base.gait == Gait::step || base.gait == Gait::trot  ? 2
                                                                                  : 1;
  if (feet.size() < least)
    return Error{"gait",
                 fmt::format("{} needs at least {} {}, not {}", enum_name(base.gait), least,
                             least == 1 ? "foot" : "feet", feet.size()),
                 "name the feet in wrenches or contacts of the configuration, or choose hung"};
  return feet;
}

}  // namespace heft
