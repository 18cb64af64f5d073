// Tests of properties: a claim holds for any input. RapidCheck draws the inputs, shrinks failing inputs, and prints the
// inputs and how to draw them again. Only properties.cc compiles the templates of RapidCheck, which are slow to
// compile.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string_view>

#include "tests/framework.h"

namespace sotto {

// Draws a value of the type; small values are more likely. properties.cc lists the types.
template <class T>
T draw();

// Draws a value in [low, high), where low < high. Values of early cases are near low.
std::uint64_t draw_below(std::uint64_t count);
template <std::integral T>
T draw_in_range(T low, T high) {
  const auto first = static_cast<std::uint64_t>(low);
  return static_cast<T>(first + draw_below(static_cast<std::uint64_t>(high) - first));
}

// Draws an index below the count. Unlike other values, an index is not smaller in early cases than in later cases.
std::size_t draw_index(std::size_t count);

template <class T>
T draw_one_of(const std::vector<T>& values) {
  return values.at(draw_index(values.size()));
}

template <class T>
T draw_one_of(std::initializer_list<T> values) {
  return values.begin()[draw_index(values.size())];
}

template <class Value>
auto draw_vector(std::size_t count, const Value& value) {
  std::vector<std::decay_t<decltype(value())>> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) values.push_back(value());
  return values;
}

// Draws a length of at least `least` and below 100, distributed like the lengths of drawn containers.
inline std::size_t draw_length(std::size_t least = 0) { return draw_in_range<std::size_t>(least, 100); }

// Draws a text of only these letters.
inline std::string draw_text(std::string_view letters, std::size_t least = 0) {
  std::string text(draw_length(least), '\0');
  for (char& letter : text) letter = letters[draw_index(letters.size())];
  return text;
}

// Rejects the input unless the condition holds; in this case another input is drawn.
void assume(bool condition);

void require(bool holds, const char* claim, const char* file, int line);
void check_property(void (*property)());

}  // namespace sotto

// A test whose body draws its input and states a claim about the input: PROPERTY(Suite, Name) { ... HOLDS(claim); ...
// }.
#define PROPERTY(Suite, Name)                                             \
  static void Suite##_##Name##_holds();                                   \
  TEST(Suite, Name) { ::sotto::check_property(&Suite##_##Name##_holds); } \
  static void Suite##_##Name##_holds()

// Throws unless the claim holds for this input; RapidCheck then shrinks the input.
#define HOLDS(...) ::sotto::require(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
