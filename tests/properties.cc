#include "tests/properties.h"

#include <rapidcheck/gtest.h>

#include <cstdlib>

#include "tests/framework.h"

namespace sotto {

template <class T>
T draw() {
  return *rc::gen::arbitrary<T>();
}

template bool draw();
template std::uint8_t draw();
template std::uint16_t draw();
template std::uint32_t draw();
template std::uint64_t draw();
template std::int32_t draw();
template std::int64_t draw();
template double draw();
template std::string draw();
template std::vector<std::uint8_t> draw();
template std::vector<std::uint16_t> draw();
template std::vector<double> draw();
template std::map<std::string, std::vector<std::int64_t>> draw();

std::uint64_t draw_below(std::uint64_t count) { return *rc::gen::inRange<std::uint64_t>(0, count); }

std::size_t draw_index(std::size_t count) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(0, count));
}

void assume(bool condition) { RC_PRE(condition); }

void require(bool holds, const char* claim, const char* file, int line) {
  using rc::detail::CaseResult;
  if (holds) return;
  throw CaseResult(CaseResult::Type::Failure, std::string(file) + ":" + std::to_string(line) + ": " + claim);
}

void check_property(void (*property)()) {
  if (!takes_all_samples()) ::setenv("RC_PARAMS", "max_success=25", 0);
  rc::detail::checkGTest(property);
}

}  // namespace sotto
