#include "tools/heft/bodies_file.hpp"

#include <fmt/format.h>

#include <cmath>

#include "files/json_text.hpp"
#include "files/whole_file.hpp"

namespace heft::tools {

namespace {

using Json = nlohmann::json;

constexpr const char* kForm = "write {\"bodies\": [[ten numbers], ..]}";

Result<std::vector<double>> numbers_of(const Json& body) {
  std::vector<double> numbers;
  if (body.is_object()) {
    const auto parameters = body.find("parameters");
    if (parameters == body.end() || !parameters->is_object())
      return Error{"", "is an object without parameters", kForm};
    for (const char* name : core::kParameterNames) {
      const auto number = parameters->find(name);
      if (number == parameters->end() || !number->is_number())
        return Error{"", fmt::format("has no number '{}' among its parameters", name), kForm};
      numbers.push_back(number->get<double>());
    }
    return numbers;
  }
  if (!body.is_array()) return Error{"", "is no list of numbers", kForm};
  for (const Json& number : body) {
    if (!number.is_number()) return Error{"", fmt::format("number {} is none", numbers.size() + 1), kForm};
    numbers.push_back(number.get<double>());
  }
  return numbers;
}

}  // namespace

std::string place_of_body(const std::string& path, std::size_t index) {
  return fmt::format("{}: body {}", path, index + 1);
}

Result<std::vector<std::vector<double>>> read_body_numbers(const std::string& path) {
  HEFT_TRY(text, read_text_whole(path, kLargestResult));
  const Json json = parse_json(text);
  if (json.is_discarded()) return Error{path, "is not JSON", kForm};
  const auto bodies = json.is_object() ? json.find("bodies") : json.end();
  if (!json.is_object() || bodies == json.end() || !bodies->is_array())
    return Error{path, "has no list 'bodies'", kForm};
  if (bodies->empty()) return Error{path, "has no bodies", kForm};
  std::vector<std::vector<double>> lists;
  for (const Json& body : *bodies) {
    auto numbers = numbers_of(body);
    if (!numbers)
      return Error{place_of_body(path, lists.size()), numbers.error().what, numbers.error().remedy};
    lists.push_back(std::move(*numbers));
  }
  return lists;
}

Result<std::vector<BodyParameters>> read_bodies(const std::string& path) {
  HEFT_TRY(lists, read_body_numbers(path));
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

nlohmann::ordered_json number_or_null(double number) {
  return std::isfinite(number) ? nlohmann::ordered_json(number) : nlohmann::ordered_json(nullptr);
}

}  // namespace heft::tools
