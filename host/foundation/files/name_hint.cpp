#include "files/name_hint.hpp"

#include <algorithm>
#include <cstddef>

#include "base/readable_text.hpp"

namespace heft {

namespace {

constexpr std::size_t kMaxShown = 60;
constexpr std::size_t kLongestShown = 60;

std::string shown(const std::string& name) {
  return readable(first_of_text(name, kLongestShown)) + (name.size() > kLongestShown ? ".." : "");
}

// Insertions, deletions and replacements that lead from a to b; upper and lower case count as the
// same.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; };
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(const std::string& wanted, const std::vector<std::string>& available) {
  std::string nearest;
  // at least one character must be the same, in upper or lower case
  std::size_t least = std::min(std::max<std::size_t>(wanted.size() / 2, 1) + 1, wanted.size());
  for (const std::string& name : available) {
    const auto [shorter, longer] = std::minmax({wanted.size(), name.size()});
    if (longer - shorter >= least) continue;  // so many insertions at least
    if (const std::size_t distance = edit_distance(wanted, name); distance < least) {
      least = distance;
      nearest = name;
    }
  }
  return nearest;
}

std::string name_hint(const std::string& wanted, const std::vector<std::string>& available,
                      const std::string& introduction) {
  return name_hint(wanted, available, available, introduction);
}

std::string name_hint(const std::string& wanted, const std::vector<std::string>& candidates,
                      const std::vector<std::string>& available, const std::string& introduction) {
  const std::string nearest = nearest_name(wanted, candidates);
  std::string hint = nearest.empty() ? "" : "did you mean '" + shown(nearest) + "'? ";
  hint += introduction;
  for (std::size_t k = 0; k < std::min(available.size(), kMaxShown); ++k)
    hint += (k == 0 ? " " : ", ") + shown(available[k]);
  return available.size() > kMaxShown ? hint + ", .." : hint;
}

}  // namespace heft
