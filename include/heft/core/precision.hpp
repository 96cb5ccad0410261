// In which numbers rows are computed. Sums over samples are kept in fp64 either way.
// Threads: plain values: share them for reading; a thread that changes one must own it.
#pragma once

namespace heft::core {

enum class Precision : int {
  fp64,
  fp32,  ///< rows and the products of at most 176 samples, shared by lanes; then the sums are added
         ///< up in fp64
};

}  // namespace heft::core
