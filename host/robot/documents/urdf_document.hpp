// A URDF file as an XML tree that remembers where everything stands, so that every complaint about
// it can name a line, and so that it can be written back with all that Heft does not touch.
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

class UrdfDocument final : public RobotDocument {
 public:
  /// Errors: an empty text, malformed XML (with line and column), entities of its own, no `<robot>`
  /// element.
  static Result<std::unique_ptr<UrdfDocument>> parse(const std::string& path,
                                                     const std::string& text);

  // RobotDocument
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

  /// The `<robot>` element.
  pugi::xml_node root() const { return xml_.child("robot"); }

  /// The first `<link>` of that name, and the first `<joint>` whose child it is; a null node if
  /// there is none.
  pugi::xml_node link(const std::string& name) const;
  pugi::xml_node joint_above(const std::string& link) const;

  /// "file:line" of a node of this document; "file" for a null node.
  std::string where(pugi::xml_node node) const;

  /// One `<visual>` or `<collision>`. Errors: see shapes.
  Result<Shape> shape(pugi::xml_node element) const;

  /// This file's text with the inertials of links and the dynamics of joints of `changed`, which
  /// was parsed from the same text and whose links and joints differ in nothing else, and its
  /// comment of Heft. Every other byte stays, unless the file is not UTF-8.
  std::string with_changes(const UrdfDocument& changed) const;

  /// The comment of the <robot> in which Heft says what the file cannot express; a null node if
  /// there is none.
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

  pugi::xml_document xml_;  // comments, processing instructions and white space included
  pugi::xml_encoding encoding_ = pugi::encoding_utf8;  // as the file was written
  std::vector<std::ptrdiff_t> line_starts_;            // offset of every line in the text
  NodesByName links_, joints_above_;                   // the latter by child link
};

/// How the comment begins in which Heft says what of an identified model a URDF cannot express.
inline constexpr const char* kHeftComment = " heft: ";

/// Checks that no xacro is left, and the tree that links and joints form: every link and joint
/// named, once; joint types known; parents and children exist; one root, one parent per link, no
/// cycle; mimic joints lead to a joint with a coordinate of its own. Errors name file, line and
/// remedy.
Result<Done> check_urdf_structure(const UrdfDocument& document);

/// Checks that no xacro element and no xacro expression is left; check_urdf_structure begins with
/// it.
Result<Done> check_urdf_expanded(const UrdfDocument& document);

/// Checks that every number of inertials and joints is one, finite, and not beyond kLargestQuantity
/// (limits may be, which stands for none). Errors name file, line, link or joint, attribute and
/// remedy.
Result<Done> check_urdf_numbers(const UrdfDocument& document);

/// The same for the numbers that a joint of this type does not use, which check_urdf_numbers skips:
/// the axis of a fixed or floating joint, the range of a continuous one.
Result<Done> check_unused_numbers(const UrdfDocument& document, pugi::xml_node joint);

/// Checks that nothing is missing that has no default: the robot's name, mass and tensor of an
/// `<inertial>`, the
/// `<limit>` of a revolute or prismatic joint, effort and velocity of a `<limit>`, damping or
/// friction of
/// `<dynamics>`, the joint of a `<mimic>`. Errors name file, line, link or joint, and remedy.
Result<Done> check_urdf_complete(const UrdfDocument& document);

}  // namespace heft
