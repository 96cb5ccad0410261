#include "heft/model/parameter_layout.hpp"

#include <algorithm>

#include "slip.hpp"

namespace heft {

namespace {

using core::Feature;

// in the order in which messages name them
constexpr ColumnKind kKinds[] = {
    {.name = "viscous",
     .effect = ColumnEffect::damping,
     .feature = Feature::velocity,
     .angular_unit = "N m s/rad",
     .linear_unit = "N s/m",
     .is_nonnegative = true},
    {.name = "coulomb",
     .effect = ColumnEffect::dry_friction,
     .feature = Feature::sign_velocity,
     .angular_unit = "N m",
     .linear_unit = "N",
     .is_nonnegative = true,
     .has_width = true,
     .default_width = kCoulombWidth},
    {.name = "offset",
     .effect = ColumnEffect::offset,
     .feature = Feature::one,
     .angular_unit = "N m",
     .linear_unit = "N"},
    {.name = "reflected_inertia",
     .effect = ColumnEffect::rotor_inertia,
     .feature = Feature::acceleration,
     .angular_unit = "kg m^2",
     .linear_unit = "kg",
     .is_nonnegative = true,
     .place_in_menu = 2},
    {.name = "spring",
     .effect = ColumnEffect::stiffness,
     .feature = Feature::position,
     .angular_unit = "N m/rad",
     .linear_unit = "N/m",
     .place_in_menu = 1},
    {.name = "gain",
     .effect = ColumnEffect::gain,
     .feature = Feature::signal,
     .angular_unit = "1",
     .linear_unit = "1",
     .expression = "load",
     .option = ColumnOption::sd},
    {.name = "backdrive",
     .feature = Feature::signal,
     .angular_unit = "1",
     .linear_unit = "1",
     .is_nonnegative = true,
     .place_in_menu = 5,
     .expression = "abs(load)*sign(qd)*(load*qd < 0)"},
    {.name = "harmonics",
     .feature = Feature::signal,
     .angular_unit = "N m",
     .linear_unit = "N",
     .option = ColumnOption::order},
    {.name = "dahl",
     .feature = Feature::signal,
     .angular_unit = "N m",
     .linear_unit = "N",
     .is_nonnegative = true,
     .place_in_menu = 3,
     .make_memory = make_dahl,
     .option = ColumnOption::width},
    {.name = "maxwell",
     .feature = Feature::signal,
     .angular_unit = "N m/rad",
     .linear_unit = "N/m",
     .is_nonnegative = true,
     .place_in_menu = 4,
     .make_memory = make_maxwell,
     .option = ColumnOption::widths},
    {.name = "expression", .feature = Feature::signal, .is_expression = true},
};

}  // namespace

std::span<const ColumnKind> column_kinds() {
  return kKinds;
}

const ColumnKind* find_column_kind(std::span<const ColumnKind> kinds, std::string_view name) {
  const auto found = std::ranges::find(kinds, name, &ColumnKind::name);
  return found == kinds.end() ? nullptr : &*found;
}

std::vector<std::string> column_kind_names(std::span<const ColumnKind> kinds) {
  std::vector<std::string> names;
  for (const ColumnKind& kind : kinds) names.emplace_back(kind.name);
  return names;
}

}  // namespace heft
