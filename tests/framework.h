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

}  // namespace sotto
