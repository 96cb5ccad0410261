#pragma once

namespace heft::device_on_host {

/// In which order threads of a block run between two barriers, and blocks of a grid.
enum class ThreadOrder { ascending, descending, random };

}  // namespace heft::device_on_host
