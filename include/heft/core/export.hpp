// What a shared library shows. Everything is hidden but what stands in a namespace opened as
//
//   namespace heft HEFT_EXPORT { .. }
#pragma once

#define HEFT_EXPORT __attribute__((visibility("default")))
