// Converts the structural result to the columns of a layout.
#include <map>

#include "heft/uncertainty/uncertainty.hpp"

namespace heft {

namespace {

/// The functional that reads a parameter from the ten of its body and none of the body's other
/// parameters: 1
/// - aa' and aa' are orthogonal as matrices, in which a product of inertia stands twice.
Eigen::RowVectorXd reading(const ObservedParameter& parameter) {
  BodyParameters functional = parameter.direction;
  for (const int product : {core::kIxy, core::kIxz, core::kIyz}) functional[product] *= 2;
  return functional.transpose() / functional.dot(parameter.direction);
}

}  // namespace

Result<BaseQuantities> base_quantities(const Observability& observability,
                                       const ParameterLayout& layout) {
  std::map<int, int> layout_body;  // from Robot::bodies
  for (int b = 0; b < layout.num_bodies(); ++b) layout_body[layout.body_index[b]] = b;
  for (const ObservedParameter& parameter : observability.parameters)
    if (!layout_body.count(parameter.body))
      return Error{observability.robot,
                   "the layout has no body " + observability.bodies[parameter.body],
                   "compute layout and observability from the same robot"};

  const auto num_base = static_cast<Eigen::Index>(observability.identifiable.size());
  const Eigen::Index num_quantities = num_base + layout.num_columns();
  BaseQuantities result;
  result.E.setZero(layout.num_parameters(), num_quantities);
  result.R.setZero(num_quantities, layout.num_parameters());
  for (Eigen::Index i = 0; i < num_base; ++i) {
    const Combination& combination = observability.identifiable[i];
    const ObservedParameter& base = observability.parameters[combination.front().parameter];
    result.E.col(i).segment<core::kNumParameters>(
        layout.index(layout_body[base.body], core::kMass)) = base.direction;
    for (const Term& term : combination) {
      const ObservedParameter& parameter = observability.parameters[term.parameter];
      result.R.row(i).segment<core::kNumParameters>(layout.index(
          layout_body[parameter.body], core::kMass)) += term.coefficient * reading(parameter);
    }
    result.names.push_back(observability.text(combination));
  }
  result.num_columns = layout.num_columns();
  for (int k = 0; k < layout.num_columns(); ++k) {
    result.E(layout.column_index(k), num_base + k) = 1;
    result.R(num_base + k, layout.column_index(k)) = 1;
    result.names.push_back(layout.columns[k].name);
  }
  return result;
}

}  // namespace heft
