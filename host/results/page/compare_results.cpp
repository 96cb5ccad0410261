// Compares two results: errors, parameters, and whether each value lies within the other's
// interval.
#include "heft/page/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "comparison_words.hpp"
#include "drawn_data.hpp"
#include "files/json_text.hpp"
#include "files/whole_file.hpp"
#include "page.hpp"
#include "report/result_document.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

struct ResultFile {
  std::string name;  ///< as the user gave it
  Json json;
};

/// The element of a list of objects whose `key` is `name`; null if there is none.
const Json* find(const Json& list, const char* key, const Json& name) {
  for (const Json& entry : list)
    if (entry.at(key) == name) return &entry;
  return nullptr;
}

/// "3.21 %", or a dash.
std::string error_of(const Json& result, const char* fit) {
  if (!result.contains(fit)) return "-";
  return fmt::format("{:.3g} %", 100 * result.at(fit).at("overall_relative").get<double>());
}

/// Whether `value` lies within the interval that a result gives a parameter; a dash if it gives
/// none.
std::string is_within(const Json& result, const std::string& parameter, double value) {
  if (!result.contains("uncertainty")) return "-";
  const Json* known = find(result.at("uncertainty").at("parameters"), "name", parameter);
  if (known == nullptr || known->at("interval").is_null()) return "-";
  const bool within = value >= known->at("interval").at(0).get<double>() &&
                      value <= known->at("interval").at(1).get<double>();
  return within ? "yes" : "no";
}

class Table {
 public:
  Table(const ResultFile& a, const ResultFile& b) : a_(a.json), b_(b.json) {}

  void heading(const char* what) {
    text_ += fmt::format("\n{:<34} {:>12} {:>12} {:>12}  {:<9} {:<8} {}\n", what, "A", "B", "B - A",
                         "unit", "B in A's", "A in B's interval");
  }
  void row(const std::string& name, double a, double b, const std::string& unit) {
    text_ += fmt::format("{:<34} {:>12.5g} {:>12.5g} {:>12.3g}  {:<9} {:<8} {}\n", name, a, b,
                         b - a, unit, is_within(a_, name, b), is_within(b_, name, a));
  }
  void missing(const std::string& name, const char* where) {
    text_ += fmt::format("{:<34} only in {}\n", name, where);
  }
  const std::string& text() const { return text_; }

 private:
  const Json& a_;
  const Json& b_;
  std::string text_;
};

std::string errors_text(const ResultFile& a, const ResultFile& b,
                        const std::vector<std::string>& words) {
  std::string text = fmt::format("A: {}\nB: {}\n\n{}\n\n{:<34} {:>12} {:>12}\n", a.name, b.name,
                                 fmt::join(words, "\n"), "", "A", "B");
  const auto line = [&](const char* what, const std::string& of_a, const std::string& of_b) {
    text += fmt::format("{:<34} {:>12} {:>12}\n", what, of_a, of_b);
  };
  line("held-out error", error_of(a.json, "validation"), error_of(b.json, "validation"));
  line("training error", error_of(a.json, "training"), error_of(b.json, "training"));
  line("status", a.json.at("status"), b.json.at("status"));
  const char* fit =
      a.json.contains("validation") && b.json.contains("validation") ? "validation" : "training";
  text += fmt::format(
      "\n{:<34} {:>12} {:>12} {:>12}  unit\n",
      fmt::format("rms error, {}", fit == std::string("training") ? "training" : "held out"), "A",
      "B", "B - A");
  for (const Json& channel : a.json.at(fit).at("per_channel"))
    if (const Json* other =
            find(b.json.at(fit).at("per_channel"), "channel", channel.at("channel"))) {
      const double of_a = channel.at("rms_error"), of_b = other->at("rms_error");
      text += fmt::format("{:<34} {:>12.4g} {:>12.4g} {:>12.3g}  {}\n",
                          channel.at("channel").get<std::string>(), of_a, of_b, of_b - of_a,
                          channel.at("unit").get<std::string>());
    }
  return text;
}

std::string parameters_text(const ResultFile& a, const ResultFile& b) {
  Table table(a, b);
  table.heading("parameter");
  for (const Json& body : a.json.at("bodies")) {
    const std::string name = body.at("name");
    const Json* other = find(b.json.at("bodies"), "name", name);
    if (other == nullptr) {
      table.missing(name, "A");
      continue;
    }
    for (int k = 0; k < core::kNumParameters; ++k) {
      const char* parameter = core::kParameterNames[k];
      table.row(name + "." + parameter, body.at("parameters").at(parameter),
                other->at("parameters").at(parameter), core::kParameterUnits[k]);
    }
  }
  for (const Json& body : b.json.at("bodies"))
    if (find(a.json.at("bodies"), "name", body.at("name")) == nullptr)
      table.missing(body.at("name"), "B");
  for (const Json& column : a.json.at("columns")) {
    const Json* other = find(b.json.at("columns"), "name", column.at("name"));
    if (other == nullptr)
      table.missing(column.at("name"), "A");
    else
      table.row(column.at("name"), column.at("value"), other->at("value"), column.at("unit"));
  }
  for (const Json& column : b.json.at("columns"))
    if (find(a.json.at("columns"), "name", column.at("name")) == nullptr)
      table.missing(column.at("name"), "B");
  return table.text();
}

}  // namespace

Result<std::string> compare_results(const std::string& path_a, const std::string& path_b,
                                    const std::string& page_path,
                                    const std::vector<CommonRows>& common) {
  HEFT_TRY(json_a, read_result_document(path_a));
  HEFT_TRY(json_b, read_result_document(path_b));
  const ResultFile a{path_a, std::move(json_a)}, b{path_b, std::move(json_b)};
  std::string text;
  std::vector<std::string> words;
  bool same_robot = false;
  try {
    words = comparison_words(a.json, b.json, common);
    same_robot = is_same_robot(a.json, b.json);
    text = errors_text(a, b, words) + parameters_text(a, b);
  } catch (const Json::exception& e) {
    return Error{path_a + ", " + path_b, "one of them is not a valid result:" + complaint_of(e),
                 "identify again"};
  }
  if (!page_path.empty()) {
    Json comparison;
    comparison["names"] = std::vector<std::string>{a.name, b.name};
    comparison["same_robot"] = same_robot;
    comparison["words"] = words;
    comparison["drawn"] = Json::array({drawn_beside(result_path_of(path_a), a.json),
                                       drawn_beside(result_path_of(path_b), b.json)});
    comparison["results"] = Json::array({a.json, b.json});
    HEFT_CHECK(write_file_whole(page_path, comparison_html(comparison)));
  }
  return text;
}

Result<bool> are_judged_on_different_rows(const std::string& path_a, const std::string& path_b) {
  HEFT_TRY(a, read_result_document(path_a));
  HEFT_TRY(b, read_result_document(path_b));
  try {
    return has_different_rows(a, b);
  } catch (const Json::exception& e) {
    return Error{path_a + ", " + path_b, "one of them is not a valid result:" + complaint_of(e),
                 "identify again"};
  }
}

}  // namespace heft
