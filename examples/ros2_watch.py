#!/usr/bin/env python3
"""Watches a robot by its joint states: publishes what `heft watch` prints, as JSON in std_msgs/String. NOT TESTED WITH ROS.

    python3 examples/ros2_watch.py --ros-args -p model:=result -p snapshot:=watch.bin

Subscribes to joint_states (sensor_msgs/JointState), publishes on heft/watch; changes are also warnings of the node's log.
Parameters: model (a folder of heft identify), forget [s], every [samples], snapshot (a file; empty: none).
"""
import json

import heft_robot as heft
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import String


class WatchNode(Node):
    def __init__(self):
        super().__init__("heft_watch")
        defaults = {"model": "result", "forget": 0.0, "every": 0, "snapshot": ""}
        options = {name: self.declare_parameter(name, value).value for name, value in defaults.items()}
        self.watcher = heft.Watcher(options["model"], forget=options["forget"], every=options["every"], snapshot=options["snapshot"] or None)
        self.lines = self.create_publisher(String, "heft/watch", 100)
        self.create_subscription(JointState, "joint_states", self.take, 1000)

    def take(self, message):
        place = {name: k for k, name in enumerate(message.name)}
        missing = [name for name in (*self.watcher.joints, *self.watcher.channels) if name not in place]
        if missing or len(message.effort) != len(message.name):
            self.get_logger().error(f"joint_states without {missing or 'efforts'}", throttle_duration_sec=5.0)
            return
        q = [message.position[place[name]] for name in self.watcher.joints]
        tau = [message.effort[place[name]] for name in self.watcher.channels]
        stamp = message.header.stamp
        self.start = getattr(self, "start", stamp.sec)
        self.publish(self.watcher.push(stamp.sec - self.start + 1e-9 * stamp.nanosec, q, tau))

    def publish(self, lines):
        for line in lines:
            self.lines.publish(String(data=json.dumps(line)))
            if line["type"] != "state":
                self.get_logger().warning(f"{line['type']}: {line['what']} {line['size'] or ''}")


def main():
    rclpy.init()
    node = WatchNode()
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    with node.watcher:  # writes the snapshot
        node.destroy_node()


if __name__ == "__main__":
    main()
