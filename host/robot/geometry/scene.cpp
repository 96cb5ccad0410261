// parse_scene: reads STL, OBJ and DAE (COLLADA) with Assimp, with all parts placed by the file's
// node tree.
//
// Follows the convention of robot files and RViz: the <unit> of a DAE file applies, so vertices are
// in meters; its <up_axis> does not, because the file's axes are those of the link. STL and OBJ
// have neither. Materials become names of triangles, textures are ignored, and no other file is
// read.
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <assimp/Importer.hpp>
#include <exception>
#include <vector>

#include "geometry/mesh.hpp"

namespace heft {

namespace {

Mesh triangles_of(const aiScene& scene) {
  std::vector<Eigen::Vector3d> corners;
  Mesh mesh;
  for (unsigned m = 0; m < scene.mNumMeshes; ++m) {
    const aiMesh& part = *scene.mMeshes[m];
    const std::size_t before = corners.size();
    for (unsigned f = 0; f < part.mNumFaces; ++f) {
      const aiFace& face = part.mFaces[f];
      if (face.mNumIndices != 3) continue;  // points and lines enclose nothing
      for (int k = 0; k < 3; ++k) {
        const aiVector3D& corner = part.mVertices[face.mIndices[k]];
        corners.emplace_back(corner.x, corner.y, corner.z);
      }
    }
    const bool has_material = part.mMaterialIndex < scene.mNumMaterials;
    mesh.materials.push_back(
        {has_material ? scene.mMaterials[part.mMaterialIndex]->GetName().C_Str() : std::string(),
         static_cast<Eigen::Index>(corners.size() - before) / 3});
  }
  mesh.corners.resize(3, static_cast<Eigen::Index>(corners.size()));
  for (std::size_t k = 0; k < corners.size(); ++k)
    mesh.corners.col(static_cast<Eigen::Index>(k)) = corners[k];
  return mesh;
}

}  // namespace

Result<Mesh> parse_scene(const std::string& path, const std::string& bytes,
                         const std::string& format) {
  const auto broken = [&](const std::string& why) {
    return Error{path, "cannot be read as " + format + ": " + why,
                 format == "stl" ? "export the mesh again" : "export the mesh again, or as STL"};
  };
  try {
    Assimp::Importer importer;
    importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
    importer.SetPropertyBool(AI_CONFIG_IMPORT_NO_SKELETON_MESHES,
                             true);  // no shapes that the file has not
    const aiScene* scene = importer.ReadFileFromMemory(
        bytes.data(), bytes.size(), aiProcess_Triangulate | aiProcess_PreTransformVertices,
        format.c_str());
    if (!scene) return broken(importer.GetErrorString());
    return triangles_of(*scene);
  } catch (const std::exception& exception) {
    return broken(exception.what());
  }
}

}  // namespace heft
