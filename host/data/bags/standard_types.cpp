// Definitions of the standard ROS 2 messages in robot logs, for databases without definitions.
#include <string>
#include <string_view>

#include "message_type.hpp"

namespace heft::bags {

namespace {

struct StandardType {
  std::string_view name, fields;
};

constexpr StandardType kTypes[] = {
    {"std_msgs/Header", "builtin_interfaces/Time stamp\nstring frame_id\n"},
    {"std_msgs/Float64", "float64 data\n"},
    {"std_msgs/Float32", "float32 data\n"},
    {"std_msgs/Int32", "int32 data\n"},
    {"std_msgs/Bool", "bool data\n"},
    {"std_msgs/MultiArrayDimension", "string label\nuint32 size\nuint32 stride\n"},
    {"std_msgs/MultiArrayLayout", "std_msgs/MultiArrayDimension[] dim\nuint32 data_offset\n"},
    {"std_msgs/Float64MultiArray", "std_msgs/MultiArrayLayout layout\nfloat64[] data\n"},
    {"std_msgs/Float32MultiArray", "std_msgs/MultiArrayLayout layout\nfloat32[] data\n"},
    {"geometry_msgs/Vector3", "float64 x\nfloat64 y\nfloat64 z\n"},
    {"geometry_msgs/Point", "float64 x\nfloat64 y\nfloat64 z\n"},
    {"geometry_msgs/Quaternion", "float64 x\nfloat64 y\nfloat64 z\nfloat64 w\n"},
    {"geometry_msgs/Pose", "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation\n"},
    {"geometry_msgs/Twist", "geometry_msgs/Vector3 linear\ngeometry_msgs/Vector3 angular\n"},
    {"geometry_msgs/Accel", "geometry_msgs/Vector3 linear\ngeometry_msgs/Vector3 angular\n"},
    {"geometry_msgs/Wrench", "geometry_msgs/Vector3 force\ngeometry_msgs/Vector3 torque\n"},
    {"geometry_msgs/PoseWithCovariance", "geometry_msgs/Pose pose\nfloat64[36] covariance\n"},
    {"geometry_msgs/TwistWithCovariance", "geometry_msgs/Twist twist\nfloat64[36] covariance\n"},
    {"geometry_msgs/PoseStamped", "std_msgs/Header header\ngeometry_msgs/Pose pose\n"},
    {"geometry_msgs/TwistStamped", "std_msgs/Header header\ngeometry_msgs/Twist twist\n"},
    {"geometry_msgs/AccelStamped", "std_msgs/Header header\ngeometry_msgs/Accel accel\n"},
    {"geometry_msgs/WrenchStamped", "std_msgs/Header header\ngeometry_msgs/Wrench wrench\n"},
    {"nav_msgs/Odometry",
     "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/PoseWithCovariance pose\n"
     "geometry_msgs/TwistWithCovariance twist\n"},
    {"sensor_msgs/JointState",
     "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort\n"},
    {"sensor_msgs/Imu",
     "std_msgs/Header header\ngeometry_msgs/Quaternion orientation\nfloat64[9] orientation_covariance\n"
     "geometry_msgs/Vector3 angular_velocity\nfloat64[9] angular_velocity_covariance\n"
     "geometry_msgs/Vector3 linear_acceleration\nfloat64[9] linear_acceleration_covariance\n"},
    {"control_msgs/InterfaceValue", "string[] interface_names\nfloat64[] values\n"},
    {"control_msgs/DynamicJointState",
     "std_msgs/Header header\nstring[] joint_names\ncontrol_msgs/InterfaceValue[] interface_values\n"},
};

const StandardType* find(std::string_view name) {
  for (const StandardType& type : kTypes)
    if (type.name == name) return &type;
  return nullptr;
}

}  // namespace

std::string standard_type_text(const std::string& name) {
  const StandardType* const type = find(name);
  if (type == nullptr) return {};
  std::string text(type->fields);
  for (const StandardType& other : kTypes)
    text += "===\nMSG: " + std::string(other.name) + "\n" + std::string(other.fields);
  return text;
}

}  // namespace heft::bags
