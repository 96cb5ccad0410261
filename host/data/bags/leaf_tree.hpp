// The leaves that are wanted of a message as a tree, which readers of messages walk beside the
// data.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bags/decoder.hpp"

namespace heft::bags {

/// Elements of arrays that are looked at, at most: longer ones are images and clouds of points.
inline constexpr std::size_t kLongestArray = 1024;

/// Steps from a message to a number that are followed, at most.
inline constexpr std::size_t kDeepest = 24;

struct LeafNode {
  int slot = -1;  ///< of a number that is wanted
  std::map<std::string, std::unique_ptr<LeafNode>, std::less<>> fields, labels;
  std::vector<std::unique_ptr<LeafNode>> indices;

  // what readers keep from message to message
  std::vector<LeafNode*> by_field;    ///< fields by their index in a structure
  std::vector<LeafNode*> by_element;  ///< of an array, by the labels of version
  std::uint64_t version = 0;          ///< of the labels
  std::vector<std::string> names;     ///< of a structure with an array of names
  std::string raw_names;              ///< their bytes
  std::uint64_t names_version = 0;

  LeafNode* element(std::size_t index) {
    return index < indices.size() ? indices[index].get() : nullptr;
  }
  /// The element of an array that a step leads to; `index`: its place in the array.
  LeafNode* element(std::size_t index, const Step& step) {
    if (step.kind == Step::Kind::index) return element(index);
    const auto found = labels.find(step.text);
    return found == labels.end() ? nullptr : found->second.get();
  }
};

std::unique_ptr<LeafNode> leaf_tree(const std::vector<Path>& leaves,
                                    const std::vector<int>& selected);

}  // namespace heft::bags
