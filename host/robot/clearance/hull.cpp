// make_hull: computes corners and edges with Qhull.
#include "clearance/hull.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "hull_geometry.hpp"

#ifdef HEFT_HAS_FCL
#include <libqhull_r/qhull_ra.h>
#endif

namespace heft {

std::pair<Eigen::Vector3d, double> enclosing_sphere(const Eigen::Matrix3Xd& points) {
  // Badoiu and Clarkson: steps of decreasing size toward the farthest point
  Eigen::Vector3d center = points.rowwise().mean();
  Eigen::Vector3d best = center;
  double least = HUGE_VAL;
  constexpr int kSteps = 300;
  for (int step = 1; step <= kSteps; ++step) {
    Eigen::Index furthest = 0;
    const double squared = (points.colwise() - center).colwise().squaredNorm().maxCoeff(&furthest);
    if (squared < least) least = squared, best = center;
    center += (points.col(furthest) - center) / (step + 1);
  }
  return {best, std::sqrt(least) * (1 + 1e-12)};
}

#ifdef HEFT_HAS_FCL

namespace {

/// Indices of corners, and triangles of them; empty if the points span no volume.
struct Corners {
  std::vector<int> points;
  std::vector<std::array<int, 3>> triangles;
};

/// Discards Qhull's messages.
class Quiet {
 public:
  Quiet() : file_(std::fopen("/dev/null", "w")) {}
  ~Quiet() {
    if (file_ != nullptr) std::fclose(file_);
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
  std::FILE* file() const { return file_; }

 private:
  std::FILE* file_;
};

Corners corners_of(const Eigen::Matrix3Xd& points) {
  Corners corners;
  const Quiet quiet;
  if (points.cols() < 4 || quiet.file() == nullptr) return corners;
  std::vector<double> copy(points.data(), points.data() + points.size());
  qhT state{};
  qh_zero(&state, quiet.file());
  char command[] = "qhull Qt";  // facets that are triangles
  const int failed = qh_new_qhull(&state, 3, static_cast<int>(points.cols()), copy.data(), False,
                                  command, quiet.file(), quiet.file());
  if (failed == 0) {
    std::vector<int> place(points.cols(), -1);
    const auto corner = [&](int point) {
      if (place[point] < 0) {
        place[point] = static_cast<int>(corners.points.size());
        corners.points.push_back(point);
      }
      return place[point];
    };
    qhT* const qh = &state;
    facetT* facet;
    vertexT *vertex, **vertexp;
    FORALLfacets {
      std::array<int, 3> triangle{};
      int count = 0;
      FOREACHvertex_(facet->vertices) {
        const int at = corner(qh_pointid(qh, vertex->point));
        if (count < 3) triangle[count] = at;
        ++count;
      }
      if (count == 3) corners.triangles.push_back(triangle);
    }
  }
  qh_freeqhull(&state, !qh_ALL);
  int whole = 0, pieces = 0;
  qh_memfreeshort(&state, &whole, &pieces);
  return corners;
}

}  // namespace

bool can_make_hulls() {
  return true;
}

Result<Hull> make_hull(const Eigen::Matrix3Xd& points, double radius) {
  if (points.cols() == 0)
    return Error{"hull", "has no points", "add a collision shape to the link"};
  if (!points.allFinite() || !std::isfinite(radius))
    return Error{"hull", "has points that are not finite", "fix the mesh"};
  Hull hull{.radius = radius};
  const Corners corners = corners_of(points);
  std::set<std::pair<int, int>> edges;
  if (corners.triangles.empty()) {
    hull.points = points;
    for (int i = 0; i < points.cols(); ++i)
      for (int j = i + 1; j < points.cols(); ++j) edges.insert({i, j});
  } else {
    hull.points.resize(3, static_cast<Eigen::Index>(corners.points.size()));
    for (std::size_t i = 0; i < corners.points.size(); ++i)
      hull.points.col(static_cast<Eigen::Index>(i)) = points.col(corners.points[i]);
    for (const auto& triangle : corners.triangles)
      for (int k = 0; k < 3; ++k) edges.insert(std::minmax(triangle[k], triangle[(k + 1) % 3]));
  }
  hull.edges.assign(edges.begin(), edges.end());
  const auto [center, reach] = enclosing_sphere(hull.points);
  hull.center = center;
  hull.reach = reach + radius;
  hull.geometry = make_hull_geometry(hull.points, corners.triangles);
  return hull;
}

#else

bool can_make_hulls() {
  return false;
}

Result<Hull> make_hull(const Eigen::Matrix3Xd&, double) {
  return Error{"collisions", "cannot be checked: this program was built without FCL and Qhull",
               "install libfcl-dev and libqhull-dev and build again"};
}

#endif

}  // namespace heft
