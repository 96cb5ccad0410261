// The selected leaves of a message as a tree, traversed by readers in parallel with the data.
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

/// Maximum number of array elements that are examined: longer arrays are images and point clouds.
inline constexpr std::size_t kLongestArray = 1024;

/// Maximum depth of a number within a message.
inline constexpr std::size_t kDeepest = 24;

struct LeafNode {
  int slot = -1;  ///< index of a selected number
  std::map<std::string, std::unique_ptr<LeafNode>, std::less<>> fields, labels;
  std::vector<std::unique_ptr<LeafNode>> indices;

  // state kept between messages
  std::vector<LeafNode*> by_field;    ///< fields by their index in a structure
  std::vector<LeafNode*> by_element;  ///< elements of an array, by the labels of `version`
  std::uint64_t version = 0;          ///< of the labels
  std::vector<std::string> names;     ///< for a structure with an array of names
  std::string raw_names;              ///< their bytes
  std::uint64_t names_version = 0;

  LeafNode* element(std::size_t index) {
    return index < indices.size() ? indices[index].get() : nullptr;
  }
  /// Returns the array element that a step selects; `index`: its position in the array.
  LeafNode* element(std::size_t index, const Step& step) {
    if (step.kind == Step::Kind::index) return element(index);
    const auto found = labels.find(step.text);
    return found == labels.end() ? nullptr : found->second.get();
  }
};

std::unique_ptr<LeafNode> leaf_tree(const std::vector<Path>& leaves,
                                    const std::vector<int>& selected);

}  // namespace heft::bags
