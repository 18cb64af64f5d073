#include "core/text/count.h"

#include <initializer_list>

namespace sotto {
namespace {

bool ends_with_any(std::string_view word, std::initializer_list<std::string_view> ends) {
  for (const std::string_view end : ends) {
    if (word.ends_with(end)) return true;
  }
  return false;
}

}  // namespace

std::string noun(std::uint64_t number, std::string_view singular) {
  std::string word(singular);
  if (number == 1) return word;
  if (ends_with_any(word, {"s", "x", "ch", "sh"})) return word + "es";
  if (!word.ends_with('y') || ends_with_any(word, {"ay", "ey", "oy"})) return word + "s";
  word.pop_back();
  return word + "ies";
}

std::string counted(std::uint64_t number, std::string_view singular) {
  return std::to_string(number) + " " + noun(number, singular);
}

}  // namespace sotto
