// What C++ that the translator makes is compiled against.
#pragma once

#include "tests/device_on_host/block/module.hpp"
#include "tests/device_on_host/block/semantics.hpp"
#include "tests/device_on_host/block/thread.hpp"
