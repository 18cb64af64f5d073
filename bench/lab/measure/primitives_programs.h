// The programs that `sotto-lab bench primitives` and sotto_bench repeat, one a primitive. Every role makes an object of
// its own and runs it; inputs are public patterns that party 0 shares, so that results can be checked.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/party/party.h"

namespace sotto::apps::lab {

class PrimitiveProgram {
 public:
  PrimitiveProgram() = default;
  PrimitiveProgram(const PrimitiveProgram&) = delete;
  PrimitiveProgram& operator=(const PrimitiveProgram&) = delete;
  virtual ~PrimitiveProgram() = default;

  // Shares the inputs. Not timed.
  [[nodiscard]] virtual Task<Unit> prepare(Party& party) = 0;
  // Fresh copies of what one repetition uses up, and the last result forgotten. Not timed where repetitions are timed
  // one by one.
  virtual void arrange() = 0;
  // One repetition, from shared or masked inputs to shares of the result.
  [[nodiscard]] virtual Task<Unit> run(Party& party) = 0;
  // Opens a few lanes of the last result: the largest distance from what they should be, in units of the last place; 0
  // at roles that learn nothing.
  [[nodiscard]] virtual Task<double> error(Party& party) = 0;
  // The largest error of a right result.
  [[nodiscard]] virtual double tolerance() const = 0;
};

// The table of all primitives that are measured.
struct PrimitiveKind {
  std::string name;
  const char* unit;                      // what a size counts: "lane", "arm", "event" or "row"
  std::vector<std::size_t> usual_sizes;  // that are measured where none are asked for
  std::size_t most_size;
  std::unique_ptr<PrimitiveProgram> (*make)(std::size_t size);
};
[[nodiscard]] const std::vector<PrimitiveKind>& primitive_kinds();
// nullptr where there is none of that name.
[[nodiscard]] const PrimitiveKind* find_primitive(std::string_view name);

}  // namespace sotto::apps::lab
