#include "contact_specs.hpp"

#include <algorithm>

#include "config/field_reader.hpp"

namespace heft::config {

namespace {

constexpr const char* kContactForm =
    "write, for example, - {frame: L_foot, type: plane, state: left_contact}";
constexpr const char* kStateForm =
    "write a column of the log (1: in contact), auto, or {force: [columns], threshold: 20}";
constexpr const char* kAutomatic = "auto";

Result<Done> read_state(const YAML::Node& node, const std::string& file, ContactState& state) {
  if (!node) return Done{};
  if (node.IsScalar() && !node.Scalar().empty()) {
    if (node.Scalar() != kAutomatic) state.column = node.Scalar();
    return Done{};
  }
  if (!node.IsMap())
    return Error{place_of(file, node), "state must be a column, auto, or a force with a threshold",
                 kStateForm};
  FieldReader reader(node, file);
  reader("force", state.force, "", "columns of its force",
         [](const std::vector<std::string>& names) {
           return names.empty() || names.size() > 3 ? std::string("must name 1 to 3 columns")
                                                    : std::string();
         });
  reader("threshold", state.threshold, "", "force in contact, in the unit of the columns",
         positive());
  if (const auto error = reader.finish()) return *error;
  for (const char* required : {"force", "threshold"})
    if (!node[required])
      return Error{place_of(file, node), std::string("the state of a contact has no ") + required,
                   kStateForm};
  return Done{};
}

Result<ContactSpec> read_contact_spec(const YAML::Node& node, const std::string& file) {
  if (!node.IsMap())
    return Error{place_of(file, node), "a contact must be a mapping of options", kContactForm};
  ContactSpec contact;
  FieldReader reader(node, file);
  reader("frame", contact.frame, "", "link in contact", [](const std::string& text) {
    return text.empty() ? std::string("must not be empty") : std::string();
  });
  reader("type", contact.type, "", "directions in which the surroundings can push");
  reader("axis", contact.axis, "", "direction of a line");
  reader.leave("state");
  reader("widen_s", contact.widen_s, "s", "extends every contact at both ends", within(0, 1));
  reader("radius", contact.radius, "m", "contact at the lowest point of such a sphere",
         within(0, 10));
  if (const auto error = reader.finish()) return *error;
  if (!node["frame"]) return Error{place_of(file, node), "a contact has no frame", kContactForm};
  if (node["axis"] && contact.type != ContactType::line)
    return Error{place_of(file, node["axis"]), "only a line has an axis",
                 "remove axis, or set type: line"};
  HEFT_CHECK(read_state(node["state"], file, contact.state));
  return contact;
}

}  // namespace

Result<std::vector<ContactSpec>> read_contact_specs(const YAML::Node& node,
                                                    const std::string& file) {
  std::vector<ContactSpec> contacts;
  if (!node || node.IsNull()) return contacts;
  if (!node.IsSequence())
    return Error{place_of(file, node), "contacts must be a list", kContactForm};
  for (const YAML::Node& item : node) {
    HEFT_TRY(contact, read_contact_spec(item, file));
    const bool is_known = std::ranges::any_of(
        contacts, [&](const ContactSpec& other) { return other.frame == contact.frame; });
    if (is_known)
      return Error{place_of(file, item), "contact '" + contact.frame + "' is given twice",
                   "remove one of them"};
    contacts.push_back(std::move(contact));
  }
  return contacts;
}

nlohmann::ordered_json write_contact_specs(const std::vector<ContactSpec>& contacts) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ContactSpec& contact : contacts) {
    nlohmann::ordered_json item = {{"frame", contact.frame}, {"type", enum_name(contact.type)}};
    if (contact.type == ContactType::line) item["axis"] = enum_name(contact.axis);
    const ContactState& state = contact.state;
    if (!state.force.empty())
      item["state"] = {{"force", state.force}, {"threshold", state.threshold}};
    else
      item["state"] = state.is_automatic() ? kAutomatic : state.column;
    item["widen_s"] = contact.widen_s;
    item["radius"] = contact.radius;
    list.push_back(std::move(item));
  }
  return list;
}

}  // namespace heft::config
