// Pointers with a known memory space. The compiler cannot tell to which memory a pointer from a
// table points, so every access tests it at run time; in_global(p) states that it is global memory.
#pragma once

#include "row_shares.hpp"

namespace heft::cuda {

/// The same pointer, to global memory.
template <class T>
HEFT_HD T* in_global(T* pointer) {
#if defined(__CUDA_ARCH__)
  return static_cast<T*>(__cvta_global_to_generic(__cvta_generic_to_global(pointer)));
#else
  return pointer;
#endif
}

/// A share whose tables are known to be in global memory.
HEFT_HD RowShareView in_global(const RowShareView& share) {
  RowShareView view = share;
  view.tree.bodies = in_global(share.tree.bodies);
  view.tree.screws = in_global(share.tree.screws);
  view.tree.rows = in_global(share.tree.rows);
  view.tree.runs = in_global(share.tree.runs);
  view.tree.features = in_global(share.tree.features);
  view.body_indices = in_global(share.body_indices);
  view.channels = in_global(share.channels);
  view.motion_places = in_global(share.motion_places);
  view.screw_places = in_global(share.screw_places);
  view.row_columns = in_global(share.row_columns);
  view.feature_columns = in_global(share.feature_columns);
  view.torque_begin = in_global(share.torque_begin);
  view.torque_columns = in_global(share.torque_columns);
  return view;
}

}  // namespace heft::cuda
