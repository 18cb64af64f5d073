// The tables of `sotto-lab bench floor`. `steps` is how much is measured: more of everything where it is larger.
// Medians and least of several batches.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "sotto/apps/bandit/step_frames.h"
#include "sotto/apps/kit/report/table.h"

namespace sotto::apps {

// Time of the messages of a step alone, one row a configuration, by the way of waiting.
[[nodiscard]] FigureTable step_table(const std::vector<StepFrames>& configurations, const std::string& title,
                                     std::uint64_t steps, const std::atomic<bool>& interrupted);

// Who sends how much to whom in each round of a step; nothing is measured.
[[nodiscard]] FigureTable frame_table(const std::vector<StepFrames>& configurations);

// Two processes that each send the other a frame and read one.
[[nodiscard]] FigureTable exchange_table(std::uint64_t steps, const std::atomic<bool>& interrupted);

// Two processes that send as fast as they can.
[[nodiscard]] FigureTable bandwidth_table(std::uint64_t steps, const std::atomic<bool>& interrupted);

// Inside one process.
[[nodiscard]] FigureTable kernel_table(std::uint64_t steps);

}  // namespace sotto::apps
