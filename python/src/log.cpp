// Logs: paths of files, arrays of a robot's joints, and tables with named columns.
#include "log.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "arrays.hpp"
#include "errors.hpp"
#include "files/name_hint.hpp"
#include "heft/config/configuration.hpp"
#include "long_call.hpp"
#include "readers/unpacked_log.hpp"

namespace heft::python {

namespace {

/// The column name of joint k, from 1: that of the first pattern that numbers joints.
std::string indexed_name(const std::vector<std::string>& patterns, const std::string& fallback,
                         std::int64_t k) {
  constexpr std::string_view kIndex = "{i}";
  std::string name = fallback;
  for (const std::string& pattern : patterns)
    if (pattern.find(kIndex) != std::string::npos && pattern.find("{joint}") == std::string::npos) {
      name = pattern;
      break;
    }
  for (std::size_t at; (at = name.find(kIndex)) != std::string::npos;)
    name.replace(at, kIndex.size(), std::to_string(k));
  return name;
}

ArrayColumns columns_of(const ArrayView& numbers, const std::vector<std::string>& patterns,
                        const std::string& fallback) {
  ArrayColumns columns{.numbers = numbers};
  for (std::int64_t k = 1; k <= numbers.num_columns; ++k)
    columns.names.push_back(indexed_name(patterns, fallback, k));
  return columns;
}

/// Shapes were checked in Python; `owner` holds the arrays.
PyLog of_joints(const std::string& name, const Vector& t, const Matrix& q,
                const std::optional<Matrix>& tau, const std::optional<Matrix>& qd,
                const std::optional<Matrix>& qdd, nb::object owner) {
  const auto view = [](const std::optional<Matrix>& array) {
    return array ? view_of(*array) : ArrayView();
  };
  const auto open = [name, time = view_of(t), position = view_of(q), torque = view(tau),
                     velocity = view(qd), acceleration = view(qdd),
                     kept = kept_alive(std::move(owner))](const LogFormat& format) {
    ArrayGroup group{.time = time};
    group.columns = {columns_of(position, format.position, "q{i}"),
                     columns_of(velocity, format.velocity, "qd{i}"),
                     columns_of(acceleration, format.acceleration, "qdd{i}"),
                     columns_of(torque, format.torque, "tau{i}")};
    std::erase_if(group.columns, [](const ArrayColumns& one) { return one.names.empty(); });
    return array_log(name, {group}, kept).open(format);
  };
  return {Log(name, open), static_cast<int>(q.shape(1))};
}

PyLog of_table(const std::string& name, const std::vector<std::string>& names,
               const std::vector<Vector>& arrays, nb::object owner) {
  std::vector<ArrayColumns> columns;
  for (std::size_t k = 0; k < names.size(); ++k)
    columns.push_back({{names[k]}, view_of(arrays[k])});
  const auto open = [name, names, columns, kept = kept_alive(std::move(owner))](
                        const LogFormat& format) -> Result<SourcePtr> {
    const auto time = std::find(names.begin(), names.end(), format.time);
    if (time == names.end())
      return Error{name, "no column '" + format.time + "' (time; its name is the option time)",
                   name_hint(format.time, names, "the table has")};
    ArrayGroup group{.time = columns[static_cast<std::size_t>(time - names.begin())].numbers};
    for (std::size_t k = 0; k < names.size(); ++k)
      if (names[k] != format.time) group.columns.push_back(columns[k]);
    return array_log(name, {group}, kept).open(format);
  };
  return {Log(name, open)};
}

/// A file; with a name, the unpacked copy of a file or folder of that name. `owner` keeps the file.
PyLog of_file(const std::string& path, const std::string& name, const std::string& sha256,
              nb::object owner) {
  return {name.empty() ? Log(path)
                       : unpacked_log(path, name, sha256, kept_alive(std::move(owner)))};
}

std::vector<std::string> column_names(const Log& log, const LogFormat& format) {
  const nb::gil_scoped_release released;
  const SourcePtr source = unwrap(log.open(format));
  std::vector<std::string> names;
  for (const ColumnGroup& group : source->groups())
    names.insert(names.end(), group.columns.begin(), group.columns.end());
  return names;
}

nb::list columns(const PyLog& log, const Configuration& configuration) {
  nb::list names;
  for (const std::string& name : column_names(log.log, configuration.log))
    names.append(readable(name));
  return names;
}

/// Columns of each group, and their places among the requested names.
struct Selection {
  std::vector<std::vector<int>> columns;
  std::vector<std::vector<std::size_t>> places;
};

/// A name of several groups, such as that of the time, is taken from the first group that has
/// another requested column.
Selection select_columns(const std::vector<ColumnGroup>& groups,
                         const std::vector<std::string>& names,
                         const std::map<std::string, int>& num_groups) {
  Selection selection{std::vector<std::vector<int>>(groups.size()),
                      std::vector<std::vector<std::size_t>>(groups.size())};
  std::vector<char> is_taken(names.size(), 0);
  const auto place_of = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  const auto has_own = [&](const ColumnGroup& group) {
    return std::any_of(group.columns.begin(), group.columns.end(), [&](const std::string& name) {
      return num_groups.at(name) == 1 && place_of(name) < names.size();
    });
  };
  for (const bool own : {true, false})
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (has_own(groups[g]) != own) continue;
      for (std::size_t k = 0; k < groups[g].columns.size(); ++k) {
        const std::size_t place = place_of(groups[g].columns[k]);
        if (place == names.size() || std::exchange(is_taken[place], 1) != 0) continue;
        selection.columns[g].push_back(static_cast<int>(k));
        selection.places[g].push_back(place);
      }
    }
  return selection;
}

/// All rows of the requested columns, one group of columns after another.
Result<std::vector<std::vector<double>>> read_columns(const Log& log, const LogFormat& format,
                                                      const std::vector<std::string>& names,
                                                      const Progress& progress) {
  HEFT_TRY(source, log.open(format));
  std::map<std::string, int> num_groups;  // that have a column of this name
  std::vector<std::string> known;
  for (const ColumnGroup& group : source->groups())
    for (const std::string& name : group.columns) {
      known.push_back(name);
      ++num_groups[name];
    }
  for (const std::string& name : names)
    if (!num_groups.contains(name))
      return Error{source->where(), "no column '" + name + "'",
                   name_hint(name, known, "the table has")};
  const Selection selection = select_columns(source->groups(), names, num_groups);
  HEFT_CHECK(source->select(selection.columns));
  std::vector<std::vector<double>> columns(names.size());
  ColumnBlock block;
  while (true) {
    HEFT_TRY(has_more, source->next(block));
    if (!has_more) return columns;
    HEFT_CHECK(report_progress(progress, "reading", source->fraction_read()));
    for (std::size_t k = 0; k < block.columns.size(); ++k) {
      std::vector<double>& column =
          columns[selection.places[static_cast<std::size_t>(block.group)][k]];
      for (std::int64_t row = 0; row < block.num_rows; ++row)
        column.push_back(block.columns[k][row]);
    }
  }
}

nb::dict read(const PyLog& log, const Configuration& configuration,
              const std::vector<std::string>& names, nb::object listener) {
  LongCall call(std::move(listener));
  const auto columns = call.run([&](const Progress& progress) {
    return read_columns(log.log, configuration.log, names, progress);
  });
  nb::dict result;
  for (std::size_t k = 0; k < names.size(); ++k)
    result[names[k].c_str()] = copy_of(Eigen::VectorXd(
        Eigen::Map<const Eigen::VectorXd>(columns[k].data(), std::ssize(columns[k]))));
  return result;
}

}  // namespace

void bind_log(nb::module_& m) {
  nb::class_<PyLog>(m, "Log")
      .def_static("of_file", &of_file, nb::arg("path"), nb::arg("name") = "",
                  nb::arg("sha256") = "", nb::arg("owner") = nb::none())
      .def_static("of_joints", &of_joints, nb::arg("name"), nb::arg("t").noconvert(),
                  nb::arg("q").noconvert(), nb::arg("tau").noconvert().none(),
                  nb::arg("qd").noconvert().none(), nb::arg("qdd").noconvert().none(),
                  nb::arg("owner"))
      .def_static("of_table", &of_table, nb::arg("name"), nb::arg("names"),
                  nb::arg("arrays").noconvert(), nb::arg("owner"))
      .def_prop_ro("name", [](const PyLog& log) { return log.log.name(); })
      .def_ro("num_joints", &PyLog::num_joints)
      .def("columns", &columns, nb::arg("configuration"))
      .def("read", &read, nb::arg("configuration"), nb::arg("names"), nb::arg("progress").none());
}

}  // namespace heft::python
