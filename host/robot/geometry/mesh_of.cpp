// mesh_of, read_mesh: select the reader of a file and validate its mesh.
#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/text.hpp"
#include "files/whole_file.hpp"
#include "geometry/mesh.hpp"

namespace heft {

namespace {

// "stl" of "Arm.STL"
std::string format_of(const std::string& path) {
  const std::string format = in_lower_case(std::filesystem::path(path).extension().string());
  return format.empty() ? format : format.substr(1);
}

Result<Mesh> parse(const std::string& path, const std::string& bytes) {
  const std::string format = format_of(path);
  if (format == "stl") {
    HEFT_TRY(plain, plain_stl(path, bytes));
    return parse_scene(path, plain, format);
  }
  if (format == "obj" || format == "dae") return parse_scene(path, bytes, format);
  return Error{path, "is not an STL, OBJ or DAE file", "export the mesh as one of these"};
}

}  // namespace

Result<Mesh> mesh_of(const std::string& path, const std::string& bytes) {
  HEFT_TRY(mesh, parse(path, bytes));
  if (mesh.num_triangles() == 0) return Error{path, "has no triangles", "export the mesh again"};
  if (!mesh.corners.allFinite())
    return Error{path, "has a vertex that is not finite", "export the mesh again"};
  return std::move(mesh);
}

Result<Mesh> read_mesh(const std::string& path) {
  HEFT_TRY(bytes, read_file_whole(path));
  return mesh_of(path, bytes);
}

}  // namespace heft
