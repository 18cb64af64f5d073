#include "tests/regex.h"

#include <map>
#include <regex>

namespace sotto {
namespace {

const std::regex& made(const std::string& pattern) {
  thread_local std::map<std::string, std::regex> known;
  return known.try_emplace(pattern, pattern).first->second;
}

}  // namespace

bool matches(const std::string& text, const std::string& pattern) { return std::regex_match(text, made(pattern)); }
bool has_match(const std::string& text, const std::string& pattern) { return std::regex_search(text, made(pattern)); }

std::vector<std::vector<std::string>> matches_in(const std::string& text, const std::string& pattern) {
  std::vector<std::vector<std::string>> found;
  for (std::sregex_iterator at(text.begin(), text.end(), made(pattern)), end; at != end; ++at) {
    found.emplace_back(at->begin(), at->end());
  }
  return found;
}

std::string without_matches(const std::string& text, const std::string& pattern) {
  return std::regex_replace(text, made(pattern), "");
}

}  // namespace sotto
