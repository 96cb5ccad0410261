// A URDF file as an XML tree that remembers where everything stands, so that every complaint about it can
// name a line, and so that it can be written back with all that Heft does not touch.
#pragma once

#include <cstddef>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct UrdfDocument {
  std::string path;
  std::string text;        ///< the file's bytes
  pugi::xml_document xml;  ///< comments, processing instructions and white space included
  pugi::xml_encoding encoding = pugi::encoding_utf8;  ///< as the file was written
  std::vector<std::ptrdiff_t> line_starts;            ///< offset of every line in the text

  pugi::xml_node robot() const { return xml.child("robot"); }

  /// The <link> or <joint> of that name; a null node if there is none.
  pugi::xml_node link(const std::string& name) const;
  pugi::xml_node joint(const std::string& name) const;

  /// "file:line" of a node of this document; "file" for a null node.
  std::string where(pugi::xml_node node) const;
};

/// Reads a file and parses its XML. Errors: missing or unreadable file, directory, empty file, malformed XML
/// (with line and column), no <robot> element.
Result<UrdfDocument> load_urdf_document(const std::string& path);

/// The same from a text in memory; `path` names it in errors.
Result<UrdfDocument> parse_urdf_document(const std::string& path, const std::string& text);

/// Checks what urdfdom leaves unsaid or says without a place: every link and joint named, once; joint types
/// known; parents and children exist; one root, one parent per link, no cycle; mimic joints lead to a joint
/// with a coordinate of its own. Errors name file, line and remedy.
Result<Done> check_urdf_structure(const UrdfDocument& document);

/// No quantity of a robot is larger; products of several do not overflow.
inline constexpr double kLargestQuantity = 1e50;

/// Checks that every number of inertials and joints is one, finite, and not beyond kLargestQuantity (limits may
/// be, which stands for none). Errors name file, line, link or joint, attribute and remedy.
Result<Done> check_urdf_numbers(const UrdfDocument& document);

}  // namespace heft
#pragma GCC visibility pop
