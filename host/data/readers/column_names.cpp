#include "column_names.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace heft {

namespace {

/// Lower-case runs of letters and of digits: "actual_qd_0" is actual, qd, 0.
Words words_of(const std::string& name) {
  Words words;
  int kind = 0;  // of the character before: 1 letter, 2 digit
  bool was_lower = false;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const int now = std::isalpha(byte) ? 1 : std::isdigit(byte) ? 2 : 0;
    const bool humps = kind == 1 && now == 1 && was_lower && std::isupper(byte);
    if (now != 0 && (now != kind || humps)) words.emplace_back();
    if (now != 0) words.back() += static_cast<char>(std::tolower(byte));
    was_lower = std::islower(byte) != 0;
    kind = now;
  }
  return words;
}

bool begins_with_digit(const std::string& word) {
  return !word.empty() && std::isdigit(static_cast<unsigned char>(word.front()));
}

constexpr std::size_t kMaxWords = 64;  ///< of a name; longer ones do not name columns

/// Position of a joint name's words within a column's; empty if absent.
std::optional<std::size_t> find_words(const Words& all, const Words& part) {
  if (part.empty()) return {};
  const auto at = std::search(all.begin(), all.end(), part.begin(), part.end());
  return at == all.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - all.begin()));
}

const std::set<std::string_view> kUnits = {"deg", "degree", "degrees", "rad", "nm",   "nmm", "ms",
                                           "us",  "ns",     "mnm",     "knm", "msec", "usec"};

}  // namespace

bool holds(const Words& words, std::initializer_list<std::string_view> wanted) {
  return std::find_first_of(words.begin(), words.end(), wanted.begin(), wanted.end()) !=
         words.end();
}

std::vector<Words> names_of(const std::string& joint) {
  std::vector<Words> names = {words_of(joint)};
  Words shorter = names.front();
  std::erase(shorter, "joint");
  const bool says_something = std::any_of(
      shorter.begin(), shorter.end(), [](const std::string& w) { return !begins_with_digit(w); });
  if (shorter != names.front() && says_something) names.push_back(shorter);
  return names;
}

std::vector<std::vector<Words>> short_names_of(const std::vector<std::string>& joints) {
  std::vector<std::vector<Words>> names;
  for (const std::string& joint : joints) names.push_back(names_of(joint));
  if (names.size() < 2) return names;
  const Words& first = names.front().front();
  std::size_t num_common = first.size();
  for (const std::vector<Words>& joint : names) {
    const Words& all = joint.front();
    const auto end = std::mismatch(first.begin(), first.end(), all.begin(), all.end()).first;
    num_common = std::min(num_common, static_cast<std::size_t>(end - first.begin()));
  }
  for (std::vector<Words>& joint : names) {
    const Words& all = joint.front();
    const Words rest(all.begin() + static_cast<std::ptrdiff_t>(num_common), all.end());
    if (num_common > 0 && !rest.empty() && !begins_with_digit(rest.front())) joint.push_back(rest);
  }
  return names;
}

Parts take_apart(const std::string& name, const std::vector<std::vector<Words>>& joints) {
  Parts parts;
  Words words = words_of(name);
  if (words.size() > kMaxWords) words.resize(kMaxWords);
  std::size_t longest = 0, begin = 0;
  for (std::size_t k = 0; k < joints.size(); ++k)
    for (const Words& joint : joints[k])
      if (const auto at = find_words(words, joint); at && joint.size() > longest) {
        longest = joint.size();
        begin = *at;
        parts.joint = static_cast<int>(k);
      }
  const auto first = words.begin() + static_cast<std::ptrdiff_t>(begin);
  if (parts.joint >= 0) {
    words.erase(first, first + static_cast<std::ptrdiff_t>(longest));
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(begin), "#");
  } else if (const auto last = std::find_if(words.rbegin(), words.rend(), begins_with_digit);
             last != words.rend()) {
    constexpr std::size_t kMaxDigits = 6;
    if (last->size() <= kMaxDigits) parts.number = std::stoi(*last);
    last->assign(1, '#');
  }
  for (const std::string& word : words) {
    parts.stem += word + " ";
    if (kUnits.contains(word))
      parts.unit = word;
    else if (word != "#")
      parts.words.push_back(word);
  }
  return parts;
}

}  // namespace heft
