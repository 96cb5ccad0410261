// A binary trie over keys: which keys there are decides its form, and the order in which they come
// does not. One more key among N changes about log2 N nodes.
#pragma once

#include <string>
#include <vector>

namespace heft {

struct TrieNode {
  std::string key;            ///< of a leaf its own; else of the two below
  int left = -1, right = -1;  ///< places in the list; -1: a leaf
  int num_leaves = 1;

  bool is_leaf() const { return left < 0; }
};

/// The nodes, every one after those below it, so that the root is the last. `keys`: 64 hexadecimal
/// digits each, any order, doubles count once; not empty. Nodes with one subtree alone are left
/// out.
std::vector<TrieNode> trie_of(std::vector<std::string> keys);

}  // namespace heft
