#include "heft/model/parameter_layout.hpp"

namespace heft {

ParameterLayout make_parameter_layout(const Robot& robot, std::vector<Column> columns) {
  ParameterLayout layout;
  for (int b = 0; b < robot.num_bodies(); ++b) {
    if (!robot.bodies[b].has_parameters) continue;
    layout.bodies.push_back(robot.bodies[b].name);
    layout.body_index.push_back(b);
  }
  layout.columns = std::move(columns);
  for (Column& column : layout.columns) {
    const ColumnKind* kind = find_column_kind(column_kinds(), column.kind);
    if (kind && column.effect == ColumnEffect::other) column.effect = kind->effect;
  }
  return layout;
}

std::string ParameterLayout::name(int parameter) const {
  const int body = parameter / core::kNumParameters;
  if (body < num_bodies())
    return bodies[body] + "." + core::kParameterNames[parameter % core::kNumParameters];
  return columns[parameter - core::kNumParameters * num_bodies()].name;
}

std::string ParameterLayout::unit(int parameter) const {
  if (parameter < core::kNumParameters * num_bodies())
    return core::kParameterUnits[parameter % core::kNumParameters];
  return columns[parameter - core::kNumParameters * num_bodies()].unit;
}

}  // namespace heft
