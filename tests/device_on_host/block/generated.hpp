// Included by the C++ that the translator generates.
#pragma once

#include "tests/device_on_host/block/module.hpp"
#include "tests/device_on_host/block/semantics.hpp"
#include "tests/device_on_host/block/thread.hpp"
