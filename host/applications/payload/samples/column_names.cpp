#include "column_names.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "files/name_hint.hpp"

namespace heft::payload {

namespace {

constexpr const char* kForces[] = {"force", "forces", "f"};
/// Earlier names are preferred: t and m have other meanings, too.
constexpr const char* kTorques[] = {"torque", "torques", "tau", "moment", "moments", "n", "m", "t"};
constexpr const char* kOrientations[] = {"quaternion", "quat", "orientation", "rotation", "q"};

/// Splits "/ft/wrench/Force_x (N)" into ft, wrench, force, x. Brackets after a name hold a unit,
/// unless they hold a number.
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::exchange(word, {}));
  };
  for (std::size_t k = 0; k < name.size(); ++k) {
    const char c = name[k];
    if (c == '(' || c == '[') {
      const std::size_t close = name.find(c == '(' ? ')' : ']', k);
      const bool is_index = close == k + 2 && name[k + 1] >= '0' && name[k + 1] <= '9';
      end_word();
      if (is_index) words.emplace_back(1, name[k + 1]);
      k = std::min(close, name.size());
    } else if (c >= 'A' && c <= 'Z') {
      word += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               (static_cast<unsigned char>(c) & 0x80)) {
      word += c;
    } else {
      end_word();
    }
  }
  end_word();
  return words;
}

/// Maps x, y, z, w and 0, 1, 2, 3 to 0 to 3, all else to -1.
int axis_of(const std::string& word) {
  static const std::string kLetters = "xyzw", kDigits = "0123";
  if (word.size() != 1) return -1;
  for (const std::string& axes : {kLetters, kDigits})
    if (const std::size_t at = axes.find(word[0]); at != std::string::npos)
      return static_cast<int>(at);
  return -1;
}

/// A column of a vector: /ft/wrench/force/x is axis 0 of quantity "force" of "ft wrench".
struct Component {
  std::string owner, quantity;
  int axis = 0;
};

/// Matches a quantity in the last words of a name: force.x, force_x, fx and forcex.
template <std::size_t kCount>
std::optional<Component> component_of(const std::string& name,
                                      const char* const (&quantities)[kCount]) {
  std::vector<std::string> words = words_of(name);
  // units behind the axis: fx_N, tz_Nm
  if (words.size() > 1 && (words.back() == "n" || words.back() == "nm")) words.pop_back();
  if (words.empty()) return {};
  // fx is f, x
  if (axis_of(words.back()) < 0 && words.back().size() > 1) {
    const std::string last = words.back();
    words.back() = last.substr(0, last.size() - 1);
    words.push_back(last.substr(last.size() - 1));
  }
  if (words.size() < 2) return {};
  const int axis = axis_of(words.back());
  const std::string& quantity = words[words.size() - 2];
  if (axis < 0 ||
      std::find(std::begin(quantities), std::end(quantities), quantity) == std::end(quantities))
    return {};
  Component found{.quantity = quantity, .axis = axis};
  for (std::size_t k = 0; k + 2 < words.size(); ++k) found.owner += words[k] + " ";
  return found;
}

/// Whole vectors of a header, by owner and quantity: names of their axes.
using Vectors = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;

template <std::size_t kCount>
Vectors vectors_of(const std::vector<std::string>& header, const char* const (&quantities)[kCount],
                   std::size_t num_axes) {
  Vectors vectors;
  std::set<std::pair<std::string, std::string>> doubled;
  for (const std::string& name : header) {
    const auto found = component_of(name, quantities);
    if (!found || found->axis >= static_cast<int>(num_axes)) continue;
    const auto key = std::pair(found->owner, found->quantity);
    std::vector<std::string>& axes = vectors[key];
    axes.resize(num_axes);
    std::string& place = axes[static_cast<std::size_t>(found->axis)];
    if (!place.empty()) doubled.insert(key);
    place = name;
  }
  std::erase_if(vectors, [&](const auto& entry) {
    const auto& axes = entry.second;
    return doubled.count(entry.first) > 0 || std::find(axes.begin(), axes.end(), "") != axes.end();
  });
  return vectors;
}

/// The torque of an owner, by its most specific name.
const std::vector<std::string>* torque_of(const std::string& owner, const Vectors& torques) {
  for (const char* quantity : kTorques)
    if (const auto found = torques.find({owner, quantity}); found != torques.end())
      return &found->second;
  return nullptr;
}

/// Six numbered columns of one name, such as actual_TCP_force_0 .. 5 or wrench[0] .. [5]: force,
/// then torque.
void add_numbered(const std::vector<std::string>& header, std::vector<WrenchNames>& wrenches) {
  static const std::set<std::string> kSixes = {"force", "forces", "wrench", "ft"};
  std::map<std::vector<std::string>, std::map<std::string, std::string>> numbered;
  for (const std::string& name : header) {
    std::vector<std::string> words = words_of(name);
    if (words.size() < 2 || words.back().find_first_not_of("0123456789") != std::string::npos)
      continue;
    const std::string number = words.back();
    words.pop_back();
    if (kSixes.count(words.back()) > 0) numbered[words][number] = name;
  }
  for (const auto& [words, names] : numbered) {
    if (names.size() != 6 || names.begin()->first != "0" || names.rbegin()->first != "5") continue;
    WrenchNames& six = wrenches.emplace_back();
    std::transform(names.begin(), names.end(), six.begin(),
                   [](const auto& entry) { return entry.second; });
  }
}

std::vector<WrenchNames> wrenches_of(const std::vector<std::string>& header) {
  const Vectors forces = vectors_of(header, kForces, 3), torques = vectors_of(header, kTorques, 3);
  std::vector<WrenchNames> wrenches;
  for (const auto& [key, force] : forces) {
    const std::vector<std::string>* torque = torque_of(key.first, torques);
    // the only force and the only torque of a header belong together, even with different owners
    if (!torque && forces.size() == 1 && torques.size() == 1) torque = &torques.begin()->second;
    if (!torque) continue;
    WrenchNames& names = wrenches.emplace_back();
    std::copy(force.begin(), force.end(), names.begin());
    std::copy(torque->begin(), torque->end(), names.begin() + 3);
  }
  add_numbered(header, wrenches);
  return wrenches;
}

/// Quotes a name that YAML would misread.
std::string yaml_name(const std::string& name) {
  const bool is_plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '/';
  });
  if (is_plain && !name.empty() && (name[0] < '0' || name[0] > '9') && name[0] != '.') return name;
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string option_of(const WrenchNames& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + yaml_name(name);
  return "payload: {wrench: [" + list + "]}";
}

/// The columns found, to propose an option with the missing ones.
WrenchNames near_names(const std::vector<std::string>& header) {
  WrenchNames names = {"FORCE_X", "FORCE_Y", "FORCE_Z", "TORQUE_X", "TORQUE_Y", "TORQUE_Z"};
  for (const std::string& name : header) {
    if (const auto force = component_of(name, kForces); force && force->axis < 3)
      names[static_cast<std::size_t>(force->axis)] = name;
    else if (const auto torque = component_of(name, kTorques); torque && torque->axis < 3)
      names[static_cast<std::size_t>(3 + torque->axis)] = name;
  }
  return names;
}

bool has(const std::vector<std::string>& header, const std::string& name) {
  return std::find(header.begin(), header.end(), name) != header.end();
}

Result<WrenchNames> named_wrench(const std::vector<std::string>& header,
                                 const std::vector<std::string>& given, const std::string& where) {
  WrenchNames names;
  if (given.size() != names.size())
    return Error{"payload.wrench", "has " + std::to_string(given.size()) + " names, not six",
                 "name the columns of fx, fy, fz, nx, ny, nz in this order"};
  for (const std::string& name : given)
    if (!has(header, name))
      return Error{where, "has no column '" + name + "', which payload.wrench names",
                   name_hint(name, header, "the header has")};
  std::copy(given.begin(), given.end(), names.begin());
  return names;
}

}  // namespace

Result<WrenchNames> wrench_names(const std::vector<std::string>& header,
                                 const SensorOptions& options, const std::string& where) {
  if (!options.wrench_columns.empty()) return named_wrench(header, options.wrench_columns, where);
  std::string missing;
  for (const std::string& name : kWrenchNames)
    if (missing.empty() && !has(header, name)) missing = name;
  if (missing.empty()) return kWrenchNames;
  const std::vector<WrenchNames> found = wrenches_of(header);
  if (found.size() == 1) return found.front();
  if (found.size() > 1)
    return Error{
        where, "has " + std::to_string(found.size()) + " wrenches and no column '" + missing + "'",
        "name the columns of the sensor that carries the payload, for example " +
            option_of(found.front()) + " (force x, y, z, then torque x, y, z)"};
  return Error{
      where, "has no column '" + missing + "', " + (missing[0] == 'f' ? "a force" : "a torque"),
      "name the six columns of the wrench, force x, y, z, then torque x, y, z: " +
          option_of(near_names(header)) + "; " + name_hint(missing, {}, header, "the header has")};
}

std::vector<std::string> quaternion_names(const std::vector<std::string>& header) {
  const Vectors found = vectors_of(header, kOrientations, 4);
  if (const auto plain = found.find({"", "q"}); plain != found.end()) return plain->second;
  return found.size() == 1 ? found.begin()->second : std::vector<std::string>();
}

}  // namespace heft::payload
