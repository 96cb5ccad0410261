// Visitor that writes options as JSON, in the form of the YAML file.
#pragma once

#include <nlohmann/json.hpp>

#include "fields.hpp"

namespace heft::config {

class FieldWriter {
 public:
  template <class Value>
  void operator()(const char* name, const Value& value, const char* /*unit*/,
                  const char* /*help*/) {
    json_[name] = value;
  }
  void operator()(const char* name, const Eigen::Vector3d& value, const char* /*unit*/,
                  const char* /*help*/) {
    json_[name] = {value.x(), value.y(), value.z()};
  }
  void operator()(const char* name, const std::optional<int>& value, const char* /*unit*/,
                  const char* /*help*/) {
    if (value)
      json_[name] = *value;
    else
      json_[name] = "auto";
  }
  void operator()(const char* name, const TimeColumns& value, const char* /*unit*/,
                  const char* /*help*/) {
    if (value.nanoseconds.empty())
      json_[name] = value.seconds;
    else
      json_[name] = {value.seconds, value.nanoseconds};
  }
  void operator()(const char* name, const JointChoice& value, const char* /*unit*/,
                  const char* /*help*/) {
    if (value.names.empty())
      json_[name] = value.all;
    else
      json_[name] = value.names;
  }
  void operator()(const char* name, const LogTopics& value, const char* /*unit*/,
                  const char* /*help*/) {
    nlohmann::ordered_json& topics = json_[name] = nlohmann::ordered_json::object();
    if (!value.position.empty()) topics["position"] = value.position;
    if (!value.velocity.empty()) topics["velocity"] = value.velocity;
    if (!value.torque.empty()) topics["torque"] = value.torque;
  }
  template <class Item>
  void operator()(const char* name, const PerJointOf<Item>& value, const char* /*unit*/,
                  const char* /*help*/) {
    if (!value.by_name.empty())
      json_[name] = value.by_name;
    else if (!value.in_order.empty())
      json_[name] = value.in_order;
    else
      json_[name] = value.for_all;
  }
  void operator()(const char* name, const NumberOrAuto& value, const char* /*unit*/,
                  const char* /*help*/) {
    if (value.automatic)
      json_[name] = "auto";
    else
      json_[name] = value.value;
  }
  void operator()(const char* name, const NumberBesideAuto& value, const char* /*unit*/,
                  const char* /*help*/) {
    if (value.automatic)
      json_[name] = "auto";
    else
      json_[name] = value.value;
  }
  template <class Value, class Check>
  void operator()(const char* name, const Value& value, const char* unit, const char* help,
                  const Check& /*check*/) {
    (*this)(name, value, unit, help);
  }
  template <NamedEnum Enum>
  void operator()(const char* name, const Enum& value, const char* /*unit*/, const char* /*help*/) {
    json_[name] = enum_name(value);
  }

  nlohmann::ordered_json json() const { return json_; }

 private:
  nlohmann::ordered_json json_ = nlohmann::ordered_json::object();
};

}  // namespace heft::config
