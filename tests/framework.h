// Headers that every test uses, precompiled. A test includes all further headers that it needs.
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

// The message of the error of type E that the action throws; "" if it throws none.
template <class E = std::exception, class Action>
std::string error_of(Action action) {
  try {
    (void)action();
  } catch (const E& error) {
    return error.what();
  }
  return "";
}

// scripts/test --all sets the environment variable SOTTO_ALL_SAMPLES. If the variable is set, a statistical test takes
// all its samples, which are needed to find rare faults. Otherwise a statistical test takes a tenth of its samples, and
// a property tests a quarter of its inputs. A quarter is enough, because a property draws new inputs on each run.
[[nodiscard]] inline bool takes_all_samples() { return std::getenv("SOTTO_ALL_SAMPLES") != nullptr; }
[[nodiscard]] inline std::size_t samples(std::size_t all) { return takes_all_samples() ? all : all / 10; }

}  // namespace sotto

// The build writes these strings into a test program: the path of the tree, and the program under test.
extern const char* const sotto_source;
extern const char* const sotto_program;
