#include "urdf_link_inertia.hpp"

#include "urdf_values.hpp"

namespace heft {

double link_mass(pugi::xml_node link) {
  return number_of(link.child("inertial").child("mass").attribute("value"), 0);
}

BodyParameters link_parameters(pugi::xml_node link) {
  const pugi::xml_node inertial = link.child("inertial");
  if (!inertial) return BodyParameters::Zero();
  const Eigen::Isometry3d X_link_com = origin_of(inertial);
  const auto entry = [&](const char* name) {
    return number_of(inertial.child("inertia").attribute(name), 0);
  };
  Eigen::Matrix3d tensor;
  tensor << entry("ixx"), entry("ixy"), entry("ixz"),  //
      entry("ixy"), entry("iyy"), entry("iyz"),        //
      entry("ixz"), entry("iyz"), entry("izz");
  const Eigen::Matrix3d& R = X_link_com.linear();
  return parameters_about_origin(link_mass(link), X_link_com.translation(),
                                 R * tensor * R.transpose());
}

}  // namespace heft
