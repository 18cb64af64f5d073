// What every test uses, precompiled: the framework, the standard library and the kinds of errors. What else is used is
// included where it is.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numbers>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "sotto/protocol/error/errors.h"

namespace sotto {

// What the action's error of type E says, "" where there is none.
template <class E = std::exception, class Action>
std::string error_of(Action action) {
  try {
    (void)action();
  } catch (const E& error) {
    return error.what();
  }
  return "";
}

// How many samples a statistical test takes. A tenth of them finds what is wrong by a few standard deviations or by a
// unit; all are for rare faults: scripts/test --all sets SOTTO_ALL_SAMPLES. Properties take a quarter of their inputs
// likewise: they draw others each time.
[[nodiscard]] inline bool takes_all_samples() { return std::getenv("SOTTO_ALL_SAMPLES") != nullptr; }
[[nodiscard]] inline std::size_t samples(std::size_t all) { return takes_all_samples() ? all : all / 10; }

}  // namespace sotto

// What the build writes into a test program: where the tree is, and which program is under test.
extern const char* const sotto_source;
extern const char* const sotto_program;
