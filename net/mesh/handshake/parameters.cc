#include "sotto/net/mesh/handshake/parameters.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "sotto/core/text/printable.h"

namespace sotto::net {
namespace {

struct Line {
  std::string_view key;
  std::string_view value;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t equals = line.find(" = ");
    if (equals == std::string_view::npos) {
      lines.push_back({line, {}});
    } else {
      lines.push_back({line.substr(0, equals), line.substr(equals + 3)});
    }
  }
  return lines;
}

const Line* find(const std::vector<Line>& lines, std::string_view key) {
  for (const Line& line : lines) {
    if (line.key == key) return &line;
  }
  return nullptr;
}

std::string shown(std::string_view text) { return printable(text, 100); }

}  // namespace

std::optional<std::string> first_difference(std::string_view mine, std::string_view theirs,
                                            const std::string& their_name) {
  if (mine == theirs) return std::nullopt;
  const std::vector<Line> here = lines_of(mine);
  const std::vector<Line> there = lines_of(theirs);
  for (const Line& line : here) {
    const Line* other = find(there, line.key);
    if (other == nullptr) {
      return fmt::format("{} = {} here, not set at {}", shown(line.key), shown(line.value), their_name);
    }
    if (other->value != line.value) {
      return fmt::format("{} = {} here, {} at {}", shown(line.key), shown(line.value), shown(other->value), their_name);
    }
  }
  for (const Line& line : there) {
    if (find(here, line.key) == nullptr) {
      return fmt::format("{} is not set here, {} at {}", shown(line.key), shown(line.value), their_name);
    }
  }
  return fmt::format("the parameters are in another order at {}", their_name);
}

}  // namespace sotto::net
