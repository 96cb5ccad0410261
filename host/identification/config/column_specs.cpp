#include "config/column_specs.hpp"

#include <algorithm>

#include "config/field_reader.hpp"
#include "files/name_hint.hpp"
#include "model/slip_widths.hpp"

namespace heft::config {

namespace {

constexpr const char* kDefault = "default";  // the columns of a configuration without columns

bool is_default(const YAML::Node& item) {
  return item.IsScalar() && item.Scalar() == kDefault;
}

Result<Done> read_rows(const YAML::Node& column, const std::string& file, ColumnSpec& spec) {
  const YAML::Node node = column["rows"];
  if (!node || !node.IsMap() || node.size() == 0)
    return Error{place_of(file, column), "an expression column needs rows or each_joint",
                 "write rows: {joint_5: qdd6, joint_6: qdd5}, or each_joint: qd*abs(qd)"};
  for (const auto& row : node) {
    if (!row.second.IsScalar())
      return Error{place_of(file, row.second), "a row must be an expression",
                   "write it as text, such as joint_5: qdd6"};
    spec.rows[row.first.Scalar()] = row.second.Scalar();
  }
  return Done{};
}

constexpr double kGainSd = 0.1;  ///< without sd
constexpr int kOrder = 3;        ///< without order
constexpr int kMaxOrder = 12, kMaxWidths = 16;

auto has_positive_widths() {
  return [](const std::vector<double>& widths) {
    if (widths.empty()) return std::string("must not be empty");
    if (widths.size() > kMaxWidths)
      return "must be at most " + std::to_string(kMaxWidths) + " numbers";
    for (std::size_t k = 0; k < widths.size(); ++k)
      if (std::count(widths.begin() + static_cast<std::ptrdiff_t>(k), widths.end(), widths[k]) > 1)
        return std::string("must differ from each other");
    return each(positive())(widths);
  };
}

/// Reads the option of a kind, and sets its default.
void read_option(const ColumnKind& kind, FieldReader& reader, ColumnSpec& spec) {
  const char* const of_position = "position over which the friction turns around";
  if (kind.has_width) {
    spec.tanh_width = kind.default_width;
    reader("tanh_width", spec.tanh_width, "rad/s", "tanh(qd / width)", not_negative());
  } else if (kind.option == ColumnOption::sd) {
    spec.sd = kGainSd;
    reader("sd", spec.sd, "", "standard deviation of the gain before the data: 0.1 for 10 %",
           positive(1e6));
  } else if (kind.option == ColumnOption::order) {
    spec.order = kOrder;
    reader("order", spec.order, "", "highest multiple of the position", within(1, kMaxOrder));
  } else if (kind.option == ColumnOption::width) {
    spec.widths = default_widths(kind.option);
    reader("width", spec.widths.front(), "rad", of_position, positive());
  } else if (kind.option == ColumnOption::widths) {
    spec.widths = default_widths(kind.option);
    reader("widths", spec.widths, "rad", of_position, has_positive_widths());
  }
}

nlohmann::ordered_json written_option(const ColumnKind& kind, const ColumnSpec& spec) {
  if (kind.has_width) return {{"tanh_width", spec.tanh_width}};
  if (kind.option == ColumnOption::sd) return {{"sd", spec.sd}};
  if (kind.option == ColumnOption::order) return {{"order", spec.order}};
  if (kind.option == ColumnOption::width) return {{"width", spec.widths.front()}};
  if (kind.option == ColumnOption::widths) return {{"widths", spec.widths}};
  return nlohmann::ordered_json::object();
}

Result<ColumnSpec> read_column_spec(const YAML::Node& item, const std::string& file,
                                    std::span<const ColumnKind> kinds) {
  ColumnSpec spec;
  const bool has_options = item.IsMap() && item.size() == 1 && item.begin()->second.IsMap();
  // looking up a missing key in a node that is not const adds the key
  const YAML::Node options = has_options ? item.begin()->second : YAML::Node(YAML::NodeType::Map);
  if (item.IsScalar()) {
    spec.kind = item.Scalar();
    if (spec.kind == kDefault)
      return Error{place_of(file, item),
                   "default stands for the default columns and may be listed only once",
                   "remove one of them"};
  } else if (item.IsMap() && item.size() == 1) {
    spec.kind = item.begin()->first.Scalar();
    if (!has_options && !item.begin()->second.IsNull())
      return Error{place_of(file, item), "the options of a column must have names",
                   "write them as - coulomb: {tanh_width: 0.05}"};
  } else {
    return Error{place_of(file, item), "a column must be a name, or a name with options",
                 "write - viscous, or - coulomb: {tanh_width: 0.05}"};
  }
  const ColumnKind* kind = find_column_kind(kinds, spec.kind);
  if (!kind) {
    std::vector<std::string> names = column_kind_names(kinds);
    names.emplace_back(kDefault);
    return Error{place_of(file, item), "unknown column kind '" + spec.kind + "'",
                 name_hint(spec.kind, names, "one of:")};
  }
  FieldReader reader(options, file);
  if (kind->is_expression && !options["each_joint"]) {
    HEFT_CHECK(read_rows(options, file, spec));
    reader.leave("rows");
  }
  if (kind->is_expression) {
    reader("name", spec.name, "", "name of the unknown", [](const std::string& name) {
      return name.empty() ? std::string("must not be empty") : std::string();
    });
    reader("unit", spec.unit, "", "unit of the unknown at a revolute joint");
    if (options["each_joint"]) {
      reader("each_joint", spec.each_joint, "", "factor of the unknown of every joint",
             [](const std::string& text) {
               return text.empty() ? std::string("must not be empty") : std::string();
             });
      reader("joints", spec.joints, "", "joints with such a column");
    }
    reader("nonnegative", spec.nonnegative, "", "the unknown cannot be negative");
    if (spec.name.empty())
      return Error{place_of(file, item), "an expression column needs a name",
                   "write a name, such as name: wrist inertia"};
  } else {
    reader("joints", spec.joints, "", "joints with such a column");
    read_option(*kind, reader, spec);
  }
  if (const auto error = reader.finish()) return *error;
  if (options["joints"] && spec.joints.empty())
    return Error{place_of(file, item), spec.kind + ": an empty list of joints",
                 "omit `joints` for every joint"};
  return spec;
}

}  // namespace

Result<std::vector<ColumnSpec>> read_column_specs(const YAML::Node& node, const std::string& file,
                                                  std::span<const ColumnKind> kinds) {
  if (!node.IsSequence() && !node.IsNull())
    return Error{place_of(file, node), "columns must be a list", "begin every column with '- '"};
  std::vector<ColumnSpec> specs;
  std::size_t at_default = 0;
  bool with_default = false;
  for (const YAML::Node& item : node) {
    if (is_default(item) && !with_default) {
      with_default = true;
      at_default = specs.size();
      continue;
    }
    HEFT_TRY(spec, read_column_spec(item, file, kinds));
    specs.push_back(spec);
  }
  if (!with_default) return specs;
  // a kind that is specified for all joints replaces that of the default
  std::vector<ColumnSpec> defaults = ModelOptions().columns;
  std::erase_if(defaults, [&](const ColumnSpec& of_default) {
    return std::ranges::any_of(specs, [&](const ColumnSpec& spec) {
      return spec.kind == of_default.kind && spec.joints.empty();
    });
  });
  specs.insert(specs.begin() + static_cast<std::ptrdiff_t>(at_default), defaults.begin(),
               defaults.end());
  return specs;
}

nlohmann::ordered_json write_column_specs(const std::vector<ColumnSpec>& specs,
                                          std::span<const ColumnKind> kinds) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ColumnSpec& spec : specs) {
    nlohmann::ordered_json options = nlohmann::ordered_json::object();
    if (!spec.joints.empty()) options["joints"] = spec.joints;
    const ColumnKind* kind = find_column_kind(kinds, spec.kind);
    if (kind) options.update(written_option(*kind, spec));
    if (kind && kind->is_expression) {
      options["name"] = spec.name;
      options["unit"] = spec.unit;
      options["nonnegative"] = spec.nonnegative;
      if (spec.each_joint.empty())
        options["rows"] = spec.rows;
      else
        options["each_joint"] = spec.each_joint;
    }
    list.push_back({{spec.kind, options}});
  }
  return list;
}

}  // namespace heft::config
