#include "menu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/slip_widths.hpp"
#include "setup/load.hpp"

namespace heft::select {

namespace {

constexpr double kSharpness[] = {0.01, 0.02, 0.05, 0.1, 0.2};  ///< [rad/s], of tanh Coulomb
                                                               ///< friction
constexpr double kStribeckWidths[] = {0.05, 0.1, 0.2, 0.5};    ///< [rad/s]
constexpr double kLoadSharpness[] = {0.01, 0.05};              ///< [rad/s]

/// Adds one column per joint, a function of its own q, qd, qdd and load.
struct JointColumn {
  const char* name;
  const char* family;
  const char* unit;
  const char* expression;
  bool nonnegative;
};

// Physical signs: friction dissipates energy. Free-sign columns correct viscous and Coulomb
// friction, and their sum dissipates for either sign of the correction.
constexpr JointColumn kJointColumns[] = {
    {"square-root friction", "square-root friction", "N m s^0.5/rad^0.5", "sqrt(abs(qd))*sign(qd)",
     true},
    {"quadratic friction", "quadratic friction", "N m s^2/rad^2", "qd*abs(qd)", false},
    {"asymmetric viscous friction", "asymmetric viscous friction", "N m s/rad", "abs(qd)", false},
    {"sine", "sine", "N m", "sin(q)", false},
    {"cosine", "cosine", "N m", "cos(q)", false},
    {"coulomb sign", "coulomb", "N m", "sign(qd)", true},
};

ColumnSpec joint_spec(const std::string& name, const std::string& unit,
                      const std::string& expression, bool nonnegative) {
  ColumnSpec spec{.kind = "expression", .name = name, .unit = unit};
  spec.each_joint = expression;
  spec.nonnegative = nonnegative;
  return spec;
}

MenuItem joint_item(const std::string& name, const std::string& family, const std::string& unit,
                    const std::string& expression, bool nonnegative) {
  return {name, family, {joint_spec(name, unit, expression, nonnegative)}};
}

/// A coupling coefficient between every joint and the next.
MenuItem neighbor_item(const std::string& name, const std::string& unit,
                       const std::string& quantity, const Robot& robot) {
  MenuItem item{name, name, {}};
  for (int k = 0; k + 1 < robot.num_coordinates(); ++k) {
    const std::string &a = robot.coordinates[k].name, &b = robot.coordinates[k + 1].name;
    ColumnSpec spec{
        .kind = "expression", .name = fmt::format("{} {} {}", name, a, b), .unit = unit};
    spec.rows = {{a, fmt::format("{}{}", quantity, k + 2)},
                 {b, fmt::format("{}{}", quantity, k + 1)}};
    item.specs.push_back(spec);
  }
  return item;
}

/// The kinds of the table that a search tries, in the menu's order.
std::vector<MenuItem> kinds_to_try(std::span<const ColumnKind> kinds) {
  std::multimap<int, MenuItem> items;
  for (const ColumnKind& kind : kinds) {
    if (kind.place_in_menu == 0) continue;
    const std::string name(kind.name);
    ColumnSpec spec{.kind = name};
    spec.widths = default_widths(kind.option);
    items.emplace(kind.place_in_menu, MenuItem{name, name, {spec}});
  }
  std::vector<MenuItem> in_order;
  for (auto& [place, item] : items) in_order.push_back(std::move(item));
  return in_order;
}

std::vector<MenuItem> built_in_menu(const Robot& robot, std::span<const ColumnKind> kinds) {
  std::vector<MenuItem> menu;
  for (const JointColumn& column : kJointColumns)
    menu.push_back(
        joint_item(column.name, column.family, column.unit, column.expression, column.nonnegative));
  for (const double width : kSharpness)
    menu.push_back(joint_item(fmt::format("coulomb {:g}", width), "coulomb", "N m",
                              fmt::format("tanh(qd/{:g})", width), true));
  for (const double width : kStribeckWidths)
    menu.push_back(joint_item(fmt::format("stribeck {:g}", width), "stribeck", "N m",
                              fmt::format("tanh(qd/0.01)*exp(-(qd/{:g})^2)", width), false));
  for (const double width : kLoadSharpness)
    menu.push_back(joint_item(fmt::format("load-dependent friction {:g}", width),
                              "load-dependent friction", "1",
                              fmt::format("abs(load)*tanh(qd/{:g})", width), true));
  for (MenuItem& item : kinds_to_try(kinds)) menu.push_back(std::move(item));
  menu.push_back(neighbor_item("neighbor inertia", "kg m^2", "qdd", robot));
  menu.push_back(neighbor_item("neighbor friction", "N m s/rad", "qd", robot));
  return menu;
}

/// Name of a user's candidate in the report.
std::string name_of(const ColumnSpec& spec) {
  return spec.kind == "expression" ? spec.name : spec.kind;
}

bool belongs_to(const ColumnSpec& column, const std::string& family) {
  const std::string name = name_of(column);
  return name == family || name.starts_with(family + " ");
}

}  // namespace

std::vector<MenuItem> column_menu(const std::vector<ColumnSpec>& columns,
                                  const SelectionOptions& options, const Robot& robot,
                                  std::span<const ColumnKind> kinds) {
  std::vector<MenuItem> menu;
  if (options.menu == MenuChoice::built_in) menu = built_in_menu(robot, kinds);
  for (const ColumnSpec& spec : options.candidates)
    menu.push_back({name_of(spec), name_of(spec), {spec}});
  std::erase_if(
      menu, [&](const MenuItem& item) { return item.specs.empty() || contains(columns, item); });
  return menu;
}

bool contains(const std::vector<ColumnSpec>& columns, const MenuItem& item) {
  const ColumnSpec& first = item.specs.front();
  return std::any_of(columns.begin(), columns.end(), [&](const ColumnSpec& column) {
    return column.kind == first.kind && column.name == first.name;
  });
}

std::vector<ColumnSpec> with_item(const std::vector<ColumnSpec>& columns, const MenuItem& item) {
  std::vector<ColumnSpec> result;
  for (const ColumnSpec& column : columns)
    if (!belongs_to(column, item.family)) result.push_back(column);
  result.insert(result.end(), item.specs.begin(), item.specs.end());
  return result;
}

bool has_free_sign(const MenuItem& item, std::span<const ColumnKind> kinds) {
  return std::any_of(item.specs.begin(), item.specs.end(), [&](const ColumnSpec& spec) {
    const ColumnKind* const kind = find_column_kind(kinds, spec.kind);
    return kind && !kind->is_nonnegative && !spec.nonnegative;
  });
}

bool holds_load(const ColumnSpec& spec) {
  const ColumnKind* kind = find_column_kind(column_kinds(), spec.kind);
  if (kind &&
      (heft::holds_load(std::string(kind->expression)) || kind->option == ColumnOption::order))
    return true;
  return heft::holds_load(spec.each_joint) ||
         std::any_of(spec.rows.begin(), spec.rows.end(),
                     [](const auto& row) { return heft::holds_load(row.second); });
}

bool holds_load(const MenuItem& item) {
  return std::any_of(item.specs.begin(), item.specs.end(),
                     [](const ColumnSpec& spec) { return holds_load(spec); });
}

}  // namespace heft::select
