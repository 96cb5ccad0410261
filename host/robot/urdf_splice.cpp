// UrdfDocument::with_inertials: bytes of the file, but for some <inertial> elements.
//
// pugixml tells where an element begins, not where it ends; the end is found by counting tags. It writes what it
// prints in its own way (quotes, blanks between attributes, entities), so that only inertials are printed. A file
// that is not UTF-8 has other offsets than pugixml's and is printed as a whole.
#include <algorithm>
#include <sstream>
#include <string_view>

#include "base/text.hpp"
#include "robot/urdf_document.hpp"

namespace heft {

namespace {

struct Splice {
  std::size_t begin = 0, end = 0;  // bytes that give way
  std::string text;                // what comes in their place
};

std::size_t after(std::string_view text, std::string_view word, std::size_t from) {
  const std::size_t at = text.find(word, from);
  return at == std::string_view::npos ? text.size() : at + word.size();
}

// of the tag that begins at `from`; a '>' in quotes does not count
std::size_t end_of_tag(std::string_view text, std::size_t from) {
  char quote = 0;
  for (std::size_t at = from; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0)
      quote = c == quote ? 0 : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '>')
      return at + 1;
  }
  return text.size();
}

bool is_closed_at_once(std::string_view text, std::size_t end) {
  return end >= 2 && text[end - 2] == '/';
}

std::size_t end_of_element(std::string_view text, std::size_t from) {
  int depth = 0;
  for (std::size_t at = from; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("<!--")) {
      at = after(text, "-->", at + 4);
    } else if (rest.starts_with("<![CDATA[")) {
      at = after(text, "]]>", at);
    } else if (rest.starts_with("<?")) {
      at = after(text, "?>", at);
    } else {
      const bool closes = rest.starts_with("</");
      at = end_of_tag(text, at);
      if (closes || !is_closed_at_once(text, at)) depth += closes ? -1 : 1;
      if (depth == 0) return at;
    }
    at = std::min(text.find('<', at), text.size());
  }
  return text.size();
}

// pugixml's place is that of the name, behind '<'
std::size_t begin_of(pugi::xml_node element) {
  return static_cast<std::size_t>(element.offset_debug()) - 1;
}

std::string printed(pugi::xml_node node) {
  std::ostringstream out;
  node.print(out, "", pugi::format_raw | pugi::format_no_declaration);
  return out.str();
}

Splice replaced(std::string_view text, pugi::xml_node before, pugi::xml_node now) {
  Splice splice{begin_of(before), end_of_element(text, begin_of(before)), printed(now)};
  if (!now)  // with the blanks in front of it, so that no empty line stays
    splice.begin = splice.begin == 0 ? 0 : text.find_last_not_of(kBlanks, splice.begin - 1) + 1;
  return splice;
}

// a new <inertial> comes first in its link, with the blanks around it that belong to it
Splice inserted(std::string_view text, pugi::xml_node link, pugi::xml_node now) {
  const std::size_t begin = begin_of(link), end = end_of_tag(text, begin);
  std::string children;
  for (pugi::xml_node child = now.parent().first_child(); child; child = child.next_sibling()) {
    children += printed(child);
    if (child == now && link.first_child()) break;
  }
  if (!is_closed_at_once(text, end)) return {end, end, children};
  const std::size_t last = text.find_last_not_of(kBlanks, end - 3);
  return {last + 1, end, ">" + children + "</link>"};
}

}  // namespace

std::string UrdfDocument::with_inertials(const UrdfDocument& changed) const {
  if (encoding_ != pugi::encoding_utf8) {
    std::ostringstream out;
    changed.xml_.save(out, "", pugi::format_raw | pugi::format_no_declaration, encoding_);
    return out.str();
  }
  std::string result;
  std::size_t done = 0;
  for (pugi::xml_node ours = root().child("link"), theirs = changed.root().child("link"); ours;
       ours = ours.next_sibling("link"), theirs = theirs.next_sibling("link")) {
    const pugi::xml_node before = ours.child("inertial"), now = theirs.child("inertial");
    if (printed(before) == printed(now)) continue;
    const Splice splice = before ? replaced(text(), before, now) : inserted(text(), ours, now);
    result.append(text(), done, splice.begin - done).append(splice.text);
    done = splice.end;
  }
  return result.append(text(), done);
}

}  // namespace heft
