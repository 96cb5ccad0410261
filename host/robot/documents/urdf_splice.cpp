// UrdfDocument::with_changes: the file's bytes with changes only in <inertial> and <dynamics>
// elements and one comment.
//
// pugixml reports where an element begins, not where it ends; the end is found by counting tags.
// pugixml formats its output differently (quotes, spaces between attributes, entities), so only
// changed elements are printed. A file that is not UTF-8 has different offsets than in pugixml and
// is printed as a whole.
#include <algorithm>
#include <sstream>
#include <string_view>

#include "base/text.hpp"
#include "urdf_document.hpp"

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

// a new element comes first in its link or joint, with the blanks around it that belong to it
Splice inserted(std::string_view text, pugi::xml_node parent, pugi::xml_node now) {
  const std::size_t begin = begin_of(parent), end = end_of_tag(text, begin);
  std::string children;
  for (pugi::xml_node child = now.parent().first_child(); child; child = child.next_sibling()) {
    children += printed(child);
    if (child == now && parent.first_child()) break;
  }
  if (!is_closed_at_once(text, end)) return {end, end, children};
  const std::size_t last = text.find_last_not_of(kBlanks, end - 3);
  return {last + 1, end, ">" + children + "</" + parent.name() + ">"};
}

// pugixml's place of a comment is that of its text, behind "<!--"
Splice replaced_comment(std::string_view text, pugi::xml_node before, pugi::xml_node now) {
  Splice splice;
  splice.begin = static_cast<std::size_t>(before.offset_debug()) - 4;
  splice.end = after(text, "-->", splice.begin + 4);
  splice.text = printed(now);
  if (!now) splice.begin = text.find_last_not_of(kBlanks, splice.begin - 1) + 1;
  return splice;
}

bool is_link_or_joint(pugi::xml_node node) {
  return node.name() == std::string_view("link") || node.name() == std::string_view("joint");
}

pugi::xml_node next_link_or_joint(pugi::xml_node node) {
  while (node && !is_link_or_joint(node)) node = node.next_sibling();
  return node;
}

}  // namespace

pugi::xml_node UrdfDocument::heft_comment() const {
  for (const pugi::xml_node node : root().children())
    if (node.type() == pugi::node_comment &&
        std::string_view(node.value()).starts_with(kHeftComment))
      return node;
  return {};
}

std::string UrdfDocument::with_changes(const UrdfDocument& changed) const {
  if (encoding_ != pugi::encoding_utf8) {
    std::ostringstream out;
    changed.xml_.save(out, "", pugi::format_raw | pugi::format_no_declaration, encoding_);
    return out.str();
  }
  std::vector<Splice> splices;
  const pugi::xml_node comment = heft_comment(), new_comment = changed.heft_comment();
  if (printed(comment) != printed(new_comment))
    splices.push_back(comment ? replaced_comment(text(), comment, new_comment)
                              : inserted(text(), root(), new_comment));
  for (pugi::xml_node ours = next_link_or_joint(root().first_child()),
                      theirs = next_link_or_joint(changed.root().first_child());
       ours; ours = next_link_or_joint(ours.next_sibling()),
                      theirs = next_link_or_joint(theirs.next_sibling())) {
    const char* const part = ours.name() == std::string_view("link") ? "inertial" : "dynamics";
    const pugi::xml_node before = ours.child(part), now = theirs.child(part);
    if (printed(before) == printed(now)) continue;
    splices.push_back(before ? replaced(text(), before, now) : inserted(text(), ours, now));
  }
  std::ranges::sort(splices, {}, &Splice::begin);
  std::string result;
  std::size_t done = 0;
  for (const Splice& splice : splices) {
    result.append(text(), done, splice.begin - done).append(splice.text);
    done = splice.end;
  }
  return result.append(text(), done);
}

}  // namespace heft
