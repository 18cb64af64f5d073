// Runs up to `at_once` test cases at the same time, because a case spends most of its time waiting.
#pragma once

#include <cstddef>
#include <semaphore>
#include <thread>
#include <vector>

namespace sotto::testing {

template <class Case, class Body>
void side_by_side(std::ptrdiff_t at_once, const std::vector<Case>& cases, const Body& body) {
  std::counting_semaphore<> free_places(at_once);
  std::vector<std::jthread> threads;
  for (const Case& each : cases) {
    free_places.acquire();
    threads.emplace_back([&, each] {
      body(each);
      free_places.release();
    });
  }
}

}  // namespace sotto::testing
