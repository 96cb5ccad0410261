// Contents of the page of heft watch and of /metrics.
#include "tools/heft/watch_page.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "files/json_text.hpp"
#include "heft/version.hpp"
#include "html/page.hpp"
#include "report/result_document.hpp"
#include "tools/heft/watch_server.hpp"

namespace heft::tools {

namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_loopback(const std::string& host) {
  in_addr ipv4;
  in6_addr ipv6;
  if (host == "localhost") return true;
  if (inet_pton(AF_INET, host.c_str(), &ipv4) == 1) return (ntohl(ipv4.s_addr) >> 24) == 127;
  return inet_pton(AF_INET6, host.c_str(), &ipv6) == 1 && IN6_IS_ADDR_LOOPBACK(&ipv6);
}

/// Returns what is known of a parameter from the identification: its interval, or that the prior
/// sets it.
Json knowledge_of(const Json& document, const std::string& name) {
  Json known = {{"interval", nullptr}, {"set_by_prior", false}};
  if (!document.contains("uncertainty")) return known;
  for (const Json& entry : document["uncertainty"].at("parameters"))
    if (entry.at("name") == name)
      return {{"interval", entry.at("interval")}, {"set_by_prior", entry.at("set_by_prior")}};
  return known;
}

Json bodies_of(const Json& document, const ParameterLayout& layout,
               const Eigen::VectorXd& parameters) {
  Json bodies = Json::array();
  for (int i = 0; i < layout.num_bodies(); ++i) {
    const std::string& name = layout.bodies[static_cast<std::size_t>(i)];
    Json body = {{"name", name}, {"mass", number_or_null(parameters[layout.index(i, core::kMass)])}};
    body.update(knowledge_of(document, name + ".m"));
    bodies.push_back(std::move(body));
  }
  return bodies;
}

Json columns_of(const Json& document, const ParameterLayout& layout,
                const Eigen::VectorXd& parameters) {
  Json columns = Json::array();
  for (int j = 0; j < layout.num_columns(); ++j) {
    const std::string& name = layout.columns[static_cast<std::size_t>(j)].name;
    Json column = {{"name", name},
                   {"value", number_or_null(parameters[layout.column_index(j)])},
                   {"unit", ""}};
    column.update(knowledge_of(document, name));
    for (const Json& entry : document.value("columns", Json::array()))
      if (entry.at("name") == name) column["unit"] = entry.at("unit");
    columns.push_back(std::move(column));
  }
  return columns;
}

/// Returns a label's value in the text format of Prometheus.
std::string label(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text)
    quoted += c == '\\' || c == '"' ? std::string("\\") + c : c == '\n' ? "\\n" : std::string(1, c);
  return quoted + "\"";
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  return std::isinf(value) ? (value > 0 ? "+Inf" : "-Inf") : fmt::format("{}", value);
}

class Metrics {
 public:
  void begin(const std::string& name, const char* type, const char* help) {
    name_ = "heft_" + name;
    text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name_, help, name_, type);
  }
  void add(double value, const std::string& labels = "") {
    text_ +=
        fmt::format("{}{} {}\n", name_, labels.empty() ? "" : "{" + labels + "}", number(value));
  }
  void one(const std::string& name, const char* type, const char* help, double value) {
    begin(name, type, help);
    add(value);
  }
  std::string text() { return std::move(text_); }

 private:
  std::string name_, text_;
};

void add_changes(Metrics& metrics, const LiveTotals& totals) {
  metrics.begin("changes_total", "counter", "Number of changes reported, by what changed.");
  for (const auto& [what, changes] : totals.changes)
    metrics.add(static_cast<double>(changes.count), "what=" + label(what));
  metrics.begin("change_size", "gauge", "Size of the newest change, in the unit of docs/watch.md.");
  for (const auto& [what, changes] : totals.changes)
    metrics.add(changes.size, "what=" + label(what));
}

void add_parameters(Metrics& metrics, const LiveTotals& totals, const ParameterLayout& layout) {
  const Eigen::VectorXd& x = totals.answer.parameters;
  if (x.size() != layout.num_parameters()) return;
  metrics.begin("body_mass_kilograms", "gauge", "Mass of a body in the newest answer.");
  for (int i = 0; i < layout.num_bodies(); ++i)
    metrics.add(x[layout.index(i, core::kMass)],
                "body=" + label(layout.bodies[static_cast<std::size_t>(i)]));
  metrics.begin("column", "gauge",
                "Friction, offsets and other columns in the newest answer, SI units.");
  for (int j = 0; j < layout.num_columns(); ++j)
    metrics.add(x[layout.column_index(j)],
                "name=" + label(layout.columns[static_cast<std::size_t>(j)].name));
}

}  // namespace

Result<ServeAddress> serve_address(const std::string& text) {
  ServeAddress address;
  const auto colon = text.rfind(':');
  if (colon != std::string::npos) address.host = text.substr(0, colon);
  const bool is_bracketed = address.host.starts_with('[') && address.host.ends_with(']');
  if (is_bracketed) address.host = address.host.substr(1, address.host.size() - 2);
  const char* const begin = text.c_str() + (colon == std::string::npos ? 0 : colon + 1);
  const char* const end = text.c_str() + text.size();
  const auto [rest, fault] = std::from_chars(begin, end, address.port);
  const bool is_split = !is_bracketed && address.host.find(':') != std::string::npos;
  if (fault != std::errc() || rest != end || address.port < 0 || address.port > 65535 ||
      address.host.empty() || is_split)
    return Error{"--serve", "'" + text + "' is not a port or an address with a port",
                 "write 8080, 0.0.0.0:8080 or [::1]:8080; ports are 0 to 65535"};
  address.is_loopback = is_loopback(address.host);
  return address;
}

Result<std::string> watch_page(const std::string& model, const IdentifiedModel& identified) {
  HEFT_TRY(document, read_result_document(model));
  const RegressorPlan& plan = *identified.model.plan;
  Json channels = Json::array();
  for (const Channel& channel : plan.channels)
    channels.push_back({{"name", channel.name}, {"unit", channel.unit}});
  try {
    const Json data = {{"robot", document.at("robot")},
                       {"model", model},
                       {"version", kVersion},
                       {"channels", channels},
                       {"bodies", bodies_of(document, plan.layout, identified.parameters)},
                       {"columns", columns_of(document, plan.layout, identified.parameters)}};
    return filled_page(kWatchPage, text_of(data));
  } catch (const Json::exception& e) {
    return Error{model, "does not have the form of a result:" + complaint_of(e), "identify again"};
  }
}

std::string answer_json(const WatchAnswer& answer, const IdentifiedModel& identified) {
  const ParameterLayout& layout = identified.model.plan->layout;
  Json masses = Json::array(), centers = Json::array(), columns = Json::array();
  for (int i = 0; i < layout.num_bodies(); ++i) {
    const double* p = answer.parameters.data() + layout.index(i, core::kMass);
    masses.push_back(number_or_null(p[0]));
    Json center = Json::array();
    for (int axis = 1; axis <= 3; ++axis) center.push_back(number_or_null(p[axis] / p[0]));
    centers.push_back(std::move(center));
  }
  for (int j = 0; j < layout.num_columns(); ++j)
    columns.push_back(number_or_null(answer.parameters[layout.column_index(j)]));
  return text_of({{"t", number_or_null(answer.time)},
                  {"certified", answer.certified},
                  {"samples", number_or_null(answer.num_samples)},
                  {"masses", masses},
                  {"coms", centers},
                  {"columns", columns}});
}

std::string watch_metrics(const LiveTotals& totals, double idle_s,
                          const IdentifiedModel& identified) {
  const WatchAnswer& answer = totals.answer;
  Metrics metrics;
  metrics.begin("info", "gauge", "Version of Heft.");
  metrics.add(1, "version=" + label(kVersion));
  metrics.one("samples_total", "counter", "Number of samples read.",
              static_cast<double>(totals.num_samples));
  metrics.one("sample_time_seconds", "gauge", "Time of the newest sample, by its own clock.",
              totals.time);
  metrics.one("input_idle_seconds", "gauge", "Time since the newest sample arrived.", idle_s);
  metrics.one("error_relative", "gauge", "rms of the residual divided by the rms of the torque.",
              totals.error_relative);
  metrics.one("certified", "gauge", "1 if the newest answer has a certificate.",
              answer.certified ? 1 : 0);
  metrics.one("answers_total", "counter", "Number of solver results.",
              static_cast<double>(answer.number));
  metrics.one("answer_age_seconds", "gauge",
              "Age of the newest solver result by the samples' clock.",
              answer.number > 0 ? totals.time - answer.time : std::nan(""));
  metrics.begin("push_seconds", "gauge", "CPU time per sample, by quantile.");
  metrics.add(1e-6 * totals.sample_times.median_us, "quantile=\"0.5\"");
  metrics.add(1e-6 * totals.sample_times.most_us, "quantile=\"0.9999\"");
  metrics.one("errors_total", "counter", "Lines of type error.",
              static_cast<double>(totals.num_errors));
  metrics.one("lines_dropped_total", "counter",
              "Lines dropped because nothing read standard output in time.",
              static_cast<double>(totals.num_dropped));
  add_changes(metrics, totals);
  add_parameters(metrics, totals, identified.model.plan->layout);
  return metrics.text();
}

}  // namespace heft::tools
