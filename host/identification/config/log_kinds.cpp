#include "log_kinds.hpp"

#include <algorithm>
#include <set>

#include "config/field_reader.hpp"

namespace heft::config {

namespace {

constexpr const char* kKindForm =
    "write, for example, - {kind: hung, logs: [hung_1.csv, hung_2.csv]}";

Result<LogKind> read_log_kind(const YAML::Node& node, const std::string& file) {
  if (!node.IsMap())
    return Error{place_of(file, node), "an entry of log_kinds must be a mapping", kKindForm};
  LogKind kind;
  FieldReader reader(node, file);
  reader("kind", kind.kind, "", "name of the kind of experiment");
  reader("logs", kind.logs, "", "training logs of this kind");
  reader("weight", kind.weight, "", "factor on the squared errors of these logs",
         [](double weight) {
           return weight >= 1e-6 && weight <= 1e6 ? std::string()
                                                  : std::string("must be between 1e-6 and 1e6");
         });
  if (const auto error = reader.finish()) return *error;
  if (kind.kind.empty())
    return Error{place_of(file, node), "an entry of log_kinds has no kind", kKindForm};
  if (kind.logs.empty())
    return Error{place_of(file, node), "kind '" + kind.kind + "' has no logs", kKindForm};
  return kind;
}

}  // namespace

Result<std::vector<LogKind>> read_log_kinds(const YAML::Node& node, const std::string& file) {
  std::vector<LogKind> kinds;
  if (node.IsNull()) return kinds;
  if (!node.IsSequence()) return Error{place_of(file, node), "log_kinds must be a list", kKindForm};
  std::set<std::string> names, logs;
  for (const YAML::Node& item : node) {
    HEFT_TRY(kind, read_log_kind(item, file));
    if (!names.insert(kind.kind).second)
      return Error{place_of(file, item), "kind '" + kind.kind + "' is listed twice",
                   "list all its logs in one entry"};
    for (const std::string& log : kind.logs) {
      if (std::ranges::count(kind.logs, log) > 1)
        return Error{place_of(file, item),
                     "kind '" + kind.kind + "' lists log '" + log + "' more than once",
                     "list it once"};
      if (!logs.insert(log).second)
        return Error{place_of(file, item), "log '" + log + "' belongs to two kinds",
                     "remove it from one of them"};
    }
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

nlohmann::ordered_json write_log_kinds(const std::vector<LogKind>& kinds) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const LogKind& kind : kinds)
    list.push_back({{"kind", kind.kind}, {"logs", kind.logs}, {"weight", kind.weight}});
  return list;
}

}  // namespace heft::config
