#include "tools/heft/bodies_file.hpp"

#include <fmt/format.h>

#include "files/json_text.hpp"
#include "files/whole_file.hpp"

namespace heft::tools {

namespace {

using AnyJson = nlohmann::json;

constexpr const char* kForm = "write {\"bodies\": [[ten numbers], ..]}";

/// One name for identical conventions.
Convention numbers_like(Convention convention) {
  return convention == Convention::pinocchio ? Convention::heft
         : convention == Convention::sdf     ? Convention::urdf
                                             : convention;
}

/// Error if the file's own convention differs from the requested one.
Result<Done> check_convention(const std::string& name, Convention convention) {
  const auto own = enum_value<Convention>(name);
  if (own && numbers_like(*own) == numbers_like(convention)) return Done{};
  return Error{"",
               fmt::format("is in the convention '{}' but would be read as '{}'", name,
                           enum_name(convention)),
               own ? fmt::format("heft convert --from {} translates it", name)
                   : "write one of those that heft convert --help lists"};
}

Result<std::vector<double>> numbers_of(const AnyJson& body, Convention convention) {
  std::vector<double> numbers;
  if (body.is_object()) {
    HEFT_CHECK(check_convention(enum_name(Convention::heft), convention));
    const auto parameters = body.find("parameters");
    if (parameters == body.end() || !parameters->is_object())
      return Error{"", "is an object without 'parameters'", kForm};
    for (const char* name : core::kParameterNames) {
      const auto number = parameters->find(name);
      if (number == parameters->end() || !number->is_number())
        return Error{"", fmt::format("has no number '{}' among its parameters", name), kForm};
      numbers.push_back(number->get<double>());
    }
    return numbers;
  }
  if (!body.is_array()) return Error{"", "is not a list of numbers", kForm};
  for (const AnyJson& number : body) {
    if (!number.is_number())
      return Error{"", fmt::format("number {} is not a number", numbers.size() + 1), kForm};
    numbers.push_back(number.get<double>());
  }
  return numbers;
}

}  // namespace

std::string place_of_body(const std::string& path, std::size_t index) {
  return fmt::format("{}: body {}", path, index + 1);
}

Result<std::vector<std::vector<double>>> read_body_numbers(const std::string& path,
                                                           Convention convention) {
  HEFT_TRY(text, read_text_whole(path, kLargestResult));
  const AnyJson json = parse_json(text);
  if (json.is_discarded()) return Error{path, "is not JSON", kForm};
  const auto bodies = json.is_object() ? json.find("bodies") : json.end();
  if (!json.is_object() || bodies == json.end() || !bodies->is_array())
    return Error{path, "has no list 'bodies'", kForm};
  if (bodies->empty()) return Error{path, "has no bodies", kForm};
  if (const auto said = json.find("convention"); said != json.end()) {
    if (!said->is_string())
      return Error{path, "has a 'convention' that is not a string", "write it as a string"};
    if (auto checked = check_convention(said->get<std::string>(), convention); !checked)
      return Error{path, checked.error().what, checked.error().remedy};
  }
  std::vector<std::vector<double>> lists;
  for (const AnyJson& body : *bodies) {
    auto numbers = numbers_of(body, convention);
    if (!numbers)
      return Error{place_of_body(path, lists.size()), numbers.error().what, numbers.error().remedy};
    lists.push_back(std::move(*numbers));
  }
  return lists;
}

Result<std::vector<BodyParameters>> read_bodies(const std::string& path) {
  HEFT_TRY(lists, read_body_numbers(path, Convention::heft));
  std::vector<BodyParameters> bodies;
  for (const std::vector<double>& list : lists) {
    if (list.size() != core::kNumParameters)
      return Error{place_of_body(path, bodies.size()),
                   fmt::format("has {} numbers instead of 10", list.size()),
                   "give m, mcx, mcy, mcz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz; heft convert translates"};
    bodies.push_back(Eigen::Map<const BodyParameters>(list.data()));
  }
  return bodies;
}

}  // namespace heft::tools
