#include "failures.hpp"

#include "files/json_text.hpp"

namespace heft {

namespace {
using Json = nlohmann::ordered_json;
}  // namespace

std::string failure_text(const Error& error, const std::string& key) {
  return Json{{"where", error.where}, {"what", error.what}, {"remedy", error.remedy}, {"key", key}}
             .dump(-1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

std::optional<Error> failure_of(const FleetStore& store, const std::string& name,
                                const std::string& key) {
  const auto text = store.text(FleetStore::Kind::failure, name);
  if (!text) return {};
  const Json json = parse_json<Json>(*text);
  if (!json.is_object() || json.value("key", "") != key) return {};
  return Error{json.value("where", ""), json.value("what", ""), json.value("remedy", "")};
}

}  // namespace heft
