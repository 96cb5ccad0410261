#include "joint_columns.hpp"

#include <fmt/format.h>

namespace heft {

namespace {

/// Converts the unit of an unknown from revolute to prismatic joints: N m s/rad -> N s/m.
std::string sliding(std::string unit) {
  const std::pair<std::string, std::string> changes[] = {
      {"N m", "N"}, {"kg m^2", "kg"}, {"rad", "m"}};
  for (const auto& [from, to] : changes)
    for (std::size_t at = unit.find(from); at != std::string::npos;
         at = unit.find(from, at + to.size()))
      unit.replace(at, from.size(), to);
  return unit;
}

/// The column of a kind as the table describes it.
JointColumn plain(const ColumnKind& kind, const ColumnSpec& spec) {
  return {.name = spec.kind,
          .expression = std::string(kind.expression),
          .angular_unit = kind.angular_unit,
          .linear_unit = kind.linear_unit,
          .is_nonnegative = kind.is_nonnegative,
          .width = spec.tanh_width};
}

JointColumn of_expression(const ColumnSpec& spec) {
  return {.name = spec.name,
          .expression = spec.each_joint,
          .angular_unit = spec.unit,
          .linear_unit = sliding(spec.unit),
          .is_nonnegative = spec.nonnegative};
}

std::vector<JointColumn> with_widths(const ColumnKind& kind, const ColumnSpec& spec) {
  std::vector<JointColumn> columns;
  for (const double width : spec.widths) {
    columns.push_back(plain(kind, spec));
    columns.back().width = width;
    if (spec.widths.size() > 1) columns.back().name += fmt::format(" {:g}", width);
  }
  return columns;
}

/// Sine and cosine of multiples of q, alone, with the direction and with the load.
std::vector<JointColumn> harmonics(const ColumnKind& kind, const ColumnSpec& spec) {
  struct {
    const char *name, *factor;
    bool is_load;
  } const bases[] = {
      {"", "", false}, {" by direction", "sign(qd)*", false}, {" by load", "load*", true}};
  std::vector<JointColumn> columns;
  for (const auto& base : bases)
    for (int k = 1; k <= spec.order; ++k)
      for (const char* function : {"sin", "cos"}) {
        const std::string multiple = k == 1 ? "q" : fmt::format("{}*q", k);
        JointColumn column = plain(kind, spec);
        column.name = fmt::format("{}{} {} {}q", spec.kind, base.name, function, k);
        column.expression = fmt::format("{}{}({})", base.factor, function, multiple);
        if (base.is_load) column.angular_unit = column.linear_unit = "1";
        columns.push_back(column);
      }
  return columns;
}

}  // namespace

std::vector<JointColumn> joint_columns(const ColumnKind& kind, const ColumnSpec& spec) {
  if (!spec.each_joint.empty()) return {of_expression(spec)};
  if (kind.option == ColumnOption::order) return harmonics(kind, spec);
  if (kind.option == ColumnOption::width || kind.option == ColumnOption::widths)
    return with_widths(kind, spec);
  return {plain(kind, spec)};
}

}  // namespace heft
