// Writes the report as a table and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/counted.hpp"
#include "files/whole_file.hpp"
#include "heft/check/check.hpp"

namespace heft {

namespace {

std::string line_of(const Finding& finding, const std::string& path) {
  return finding.where.starts_with(path + ":") ? finding.where.substr(path.size() + 1) : "";
}

// Wraps text to lines of at most `width` bytes, all but the first indented; never splits words.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string lines;
  std::size_t column = indent;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (column > indent && column + 1 + (end - at) > width) {
      lines += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      lines += ' ';
      ++column;
    }
    lines.append(text, at, end - at);
    column += end - at;
    at = end + 1;
  }
  return lines;
}

/// Whether the option block belongs to several findings.
bool is_merged(const CheckReport& report) {
  return !report.yaml.empty() &&
         std::none_of(report.findings.begin(), report.findings.end(),
                      [&](const Finding& finding) { return finding.fix.yaml == report.yaml; });
}

}  // namespace

std::string format_check(const CheckReport& report, int width) {
  std::string text = fmt::format("{}\n{}\n", report.path, report.subject);
  std::size_t subject_width = 0, name_width = 0, line_width = 4;
  for (const Finding& finding : report.findings) {
    subject_width = std::max(subject_width, finding.subject.size());
    name_width = std::max(name_width, finding.name.size());
    line_width = std::max(line_width, line_of(finding, report.path).size());
  }
  const std::size_t indent = 9 + line_width + 2;
  for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
    if (report.count(severity) > 0) text += "\n";
    for (const Finding& finding : report.findings) {
      if (finding.severity != severity) continue;
      text += fmt::format("{:<9}{:>{}}  {:<{}}  {}\n", enum_name(severity),
                          line_of(finding, report.path), line_width, finding.name, name_width,
                          finding.subject);
      const auto columns = static_cast<std::size_t>(std::max(width, 60));
      text += std::string(indent, ' ') + wrapped(finding.what, indent, columns) + "\n";
      text += std::string(indent, ' ') + wrapped("-> " + finding.remedy, indent, columns) + "\n";
    }
  }
  if (is_merged(report)) text += "\nall of these options together:\n" + report.yaml;
  return text + fmt::format("\n{}, {}, {}\n", counted(report.count(Severity::error), "error"),
                            counted(report.count(Severity::warning), "warning"),
                            counted(report.count(Severity::note), "note"));
}

Result<Done> write_check(const CheckReport& report, const std::string& path) {
  using Json = nlohmann::ordered_json;
  Json findings = Json::array();
  for (const Finding& finding : report.findings)
    findings.push_back({{"name", finding.name},
                        {"severity", enum_name(finding.severity)},
                        {"subject", finding.subject},
                        {"where", finding.where},
                        {"what", finding.what},
                        {"measure", finding.measure},
                        {"unit", finding.unit},
                        {"remedy", finding.remedy},
                        {"yaml", finding.fix.yaml}});
  const Json json{{"schema", "heft-check-1"},
                  {"path", report.path},
                  {"subject", report.subject},
                  {"errors", report.count(Severity::error)},
                  {"warnings", report.count(Severity::warning)},
                  {"notes", report.count(Severity::note)},
                  {"yaml", report.yaml},
                  {"findings", findings}};
  return write_file_whole(path, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace heft
