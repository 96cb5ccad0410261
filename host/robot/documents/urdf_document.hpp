// A URDF file as an XML tree with source positions, so that every error can name a line and
// unchanged parts of the file can be written back exactly.
#pragma once

#include <cstddef>
#include <memory>
#include <pugixml.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "heft/robot/robot_document.hpp"
#include "robot/written_robot.hpp"

namespace heft {

/// The URDF implementation of RobotDocument.
class UrdfDocument final : public RobotDocument {
 public:
  /// Parses a URDF. Errors: empty text, malformed XML (with line and column), custom XML entities,
  /// no `<robot>` element.
  static Result<std::unique_ptr<UrdfDocument>> parse(const std::string& path,
                                                     const std::string& text);

  // implementation of RobotDocument
  Result<Robot> robot(const std::string& rotors_text, const RobotOptions& options) const override;
  std::vector<std::string> links() const override;
  Result<std::vector<Shape>> shapes(const std::string& link, ShapeUse use) const override;
  Result<Eigen::Isometry3d> pose(const std::string& link,
                                 const std::string& carrier) const override;
  std::string find_mesh(const std::string& name,
                        const std::vector<std::string>& package_folders) const override;
  Result<std::string> with_identified(const Robot& robot,
                                      const std::vector<BodyParameters>& parameters,
                                      const IdentifiedDynamics& dynamics) const override;
  std::string identified_name() const override { return kIdentifiedName; }
  Result<WrittenRobot> as_written() const override;
  Result<std::string> with_inertials(const std::vector<InertialChange>& changes) const override;

  static constexpr const char* kIdentifiedName = "identified.urdf";

  /// Returns the `<robot>` element.
  pugi::xml_node root() const { return xml_.child("robot"); }

  /// Returns the first `<link>` of that name; a null node if there is none.
  pugi::xml_node link(const std::string& name) const;
  /// Returns the first `<joint>` whose child is the link; a null node if there is none.
  pugi::xml_node joint_above(const std::string& link) const;

  /// Returns "file:line" of a node of this document; "file" for a null node.
  std::string where(pugi::xml_node node) const;

  /// Reads one `<visual>` or `<collision>`. Errors: those of shapes.
  Result<Shape> shape(pugi::xml_node element) const;

  /// Returns this file's text with the inertials of links, the dynamics of joints and the Heft
  /// comment of `changed`, which must be parsed from the same text and differ only in these. All
  /// other bytes are unchanged, unless the file is not UTF-8.
  std::string with_changes(const UrdfDocument& changed) const;

  /// Returns the comment in <robot> in which Heft records what the file cannot express; a null node
  /// if there is none.
  pugi::xml_node heft_comment() const;

 private:
  using NodesByName = std::unordered_map<std::string, pugi::xml_node>;

  UrdfDocument(const std::string& path, const std::string& text);
  Result<Done> check_entities() const;

  struct Place {
    std::ptrdiff_t line = 1;
    std::ptrdiff_t column = 1;
  };
  Place place_of(std::ptrdiff_t offset) const;

  pugi::xml_document xml_;  // includes comments, processing instructions and white space
  pugi::xml_encoding encoding_ = pugi::encoding_utf8;  // of the original file
  std::vector<std::ptrdiff_t> line_starts_;            // offset of every line in the text
  NodesByName links_, joints_above_;                   // joints_above_ by child link
};

/// Beginning of the comment in which Heft records what a URDF cannot express of an identified
/// model.
inline constexpr const char* kHeftComment = " heft: ";

/// Checks that no xacro is left, and the tree of links and joints: links and joints have unique
/// names; joint types are known; parents and children exist; one root, one parent per link, no
/// cycle; mimic joints lead to a joint with its own coordinate. Errors name file, line and remedy.
Result<Done> check_urdf_structure(const UrdfDocument& document);

/// Checks that no xacro element or expression is left; the first step of check_urdf_structure.
Result<Done> check_urdf_expanded(const UrdfDocument& document);

/// Checks that all numbers of inertials and joints are valid, finite and at most kLargestQuantity
/// (larger limits mean no limit). Errors name file, line, link or joint, attribute and remedy.
Result<Done> check_urdf_numbers(const UrdfDocument& document);

/// Checks the numbers that a joint of this type does not use and check_urdf_numbers skips: the axis
/// of a fixed or floating joint, the range of a continuous one.
Result<Done> check_unused_numbers(const UrdfDocument& document, pugi::xml_node joint);

/// Checks that everything without a default is present: the robot's name, mass and tensor of an
/// `<inertial>`, the `<limit>` of a revolute or prismatic joint, effort and velocity of a
/// `<limit>`, damping or friction of `<dynamics>`, the joint of a `<mimic>`. Errors name file,
/// line, link or joint, and remedy.
Result<Done> check_urdf_complete(const UrdfDocument& document);

}  // namespace heft
