#include "model/same_layout.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "model/regrouping.hpp"

namespace heft {

namespace {

constexpr const char* kEntryNames[] = {"hx",  "hy",  "Sxy", "Sxz", "Syz",
                                       "Sxx", "Syy", "hz",  "m",   "Szz"};

/// Not `==`, which holds for no NaN, and not `> tolerance`, which does not either.
bool is_close(double a, double b) {
  return std::abs(a - b) <= kRegroupingTolerance * std::max({1.0, std::abs(a), std::abs(b)});
}

/// Formats a number with all significant digits.
std::string digits(double x) {
  char text[32];
  return std::string(
      text, std::to_chars(text, text + sizeof text, x, std::chars_format::general, 17).ptr);
}

/// "channel 3 is 'elbow' there, 'shoulder' here": the first of two lists of names that differs.
std::string list_difference(const char* noun, const std::vector<std::string>& here,
                            const std::vector<std::string>& there) {
  const auto name = [](const std::vector<std::string>& names, std::size_t i) {
    return i < names.size() ? "'" + names[i] + "'" : std::string("missing");
  };
  for (std::size_t i = 0; i < std::max(here.size(), there.size()); ++i)
    if (name(here, i) != name(there, i))
      return std::string(noun) + " " + std::to_string(i + 1) + " is " + name(there, i) +
             " there, " + name(here, i) + " here";
  return "";
}

std::vector<std::string> channel_names(const RegressorPlan& plan) {
  std::vector<std::string> names;
  for (const Channel& channel : plan.channels)
    names.push_back(channel.name + " [" + channel.unit + "]");
  return names;
}

std::vector<std::string> parameter_names(const RegressorPlan& plan) {
  std::vector<std::string> names;
  for (int i = 0; i < plan.layout.num_parameters(); ++i) names.push_back(plan.layout.name(i));
  return names;
}

bool same_term(const ColumnTerm& a, const ColumnTerm& b) {
  return a.channel == b.channel && a.feature == b.feature && a.source == b.source &&
         is_close(a.width, b.width);
}

/// Columns of equal names.
std::string column_difference(const ParameterLayout& here, const ParameterLayout& there) {
  for (int i = 0; i < here.num_columns(); ++i) {
    const Column &a = here.columns[i], &b = there.columns[i];
    if (a.definition != b.definition ||
        !std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(), same_term))
      return "column '" + a.name + "' has different features or expressions";
    if (!std::equal(a.constants.begin(), a.constants.end(), b.constants.begin(), b.constants.end(),
                    is_close))
      return "column '" + a.name + "' uses the load of another robot";
  }
  return "";
}

std::string structure_difference(const RegressorPlan& here, const RegressorPlan& there) {
  for (std::size_t c = 0; c < here.channel_columns.size(); ++c)
    if (here.channel_columns[c] != there.channel_columns[c])
      return "channel '" + here.channels[c].name + "' depends on different bodies or columns";
  if (here.regrouping.rows() == there.regrouping.rows()) return "";
  return "the joints have different types or connections";
}

/// Matrices of equal size; an entry that is not stored is zero.
std::string regrouping_difference(const RegressorPlan& here, const RegressorPlan& there) {
  const Eigen::SparseMatrix<double>&W = here.regrouping, &other = there.regrouping;
  for (const auto* matrix : {&W, &other})
    for (int k = 0; k < matrix->outerSize(); ++k)
      for (Eigen::SparseMatrix<double>::InnerIterator it(*matrix, k); it; ++it) {
        const double a = W.coeff(it.row(), it.col()), b = other.coeff(it.row(), it.col());
        if (!is_close(a, b))
          return "'" + here.layout.name(static_cast<int>(it.col())) + "' enters '" +
                 structural_name(here, static_cast<int>(it.row())) + "' by " + digits(b) +
                 " there, " + digits(a) + " here: joints have different positions or axes";
      }
  return "";
}

}  // namespace

std::string structural_name(const RegressorPlan& plan, int column) {
  const std::vector<int> first = first_structural_columns(plan);
  if (column >= first.back())
    return plan.layout.columns[static_cast<std::size_t>(column - first.back())].name;
  const auto body = static_cast<std::size_t>(std::upper_bound(first.begin(), first.end(), column) -
                                             first.begin() - 1);
  std::string entries;
  for (const auto& [kept, entry] : kept_entries(plan.bodies[body].columns))
    if (kept == column - first[body])
      entries += (entries.empty() ? "" : "+") + std::string(kEntryNames[entry]);
  return plan.robot.bodies[body].name + "." + entries;
}

std::string layout_difference(const RegressorPlan& here, const RegressorPlan& there) {
  if (&here == &there) return "";
  if (here.whitened_from || there.whitened_from) return "their channels are whitened differently";
  std::string difference = list_difference("channel", channel_names(here), channel_names(there));
  if (difference.empty())
    difference = list_difference("unknown", parameter_names(here), parameter_names(there));
  if (difference.empty()) difference = column_difference(here.layout, there.layout);
  if (difference.empty()) difference = structure_difference(here, there);
  return difference.empty() ? regrouping_difference(here, there) : difference;
}

}  // namespace heft
