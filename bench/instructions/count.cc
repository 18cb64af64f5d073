#include "sotto/bench/instructions/work.h"

#include <fmt/format.h>
#include <valgrind/callgrind.h>

#include <optional>
#include <stdexcept>

namespace sotto::instructions {
namespace {

// Repetitions before the counted ones, which fill free lists and buffers.
constexpr std::uint64_t warm = 3;

struct Subject {
  std::string name;
  std::function<bool(std::optional<NodeId>)> includes;
};

std::vector<Subject> subjects_of(const Work& work) {
  std::vector<Subject> subjects{{"all roles", [](std::optional<NodeId>) { return true; }}};
  if (!work.by_role) return subjects;
  const auto one = [](std::optional<NodeId> counted) {
    return [counted](std::optional<NodeId> role) { return role == counted; };
  };
  subjects.push_back({"last party", one(work.topology.last_party())});
  subjects.push_back({"dealer", one(std::nullopt)});
  subjects.push_back({"actor", one(work.topology.outside_node())});
  return subjects;
}

void count(const Work& work, const Subject& subject) {
  const std::uint64_t begin = work.first_rounds + warm * work.rounds;
  const std::uint64_t end = begin + work.repetitions * work.rounds;
  protocols::SimulationOptions options;
  options.insecure_seed = 1;
  options.watch = [&](std::optional<NodeId> role, std::uint64_t round, bool) {
    if (round >= begin && round < end && subject.includes(role)) CALLGRIND_TOGGLE_COLLECT;
  };
  const std::string name = fmt::format("{}, {}", work.name, subject.name);
  fmt::print("{}\n", name);
  CALLGRIND_ZERO_STATS;
  work.run(warm + work.repetitions + 1, std::move(options));
  const std::string trigger = fmt::format("{} {}", work.repetitions, name);
  CALLGRIND_DUMP_STATS_AT(trigger.c_str());
}

}  // namespace

void count_all() {
  if (!RUNNING_ON_VALGRIND) {
    throw std::runtime_error("instructions are counted under valgrind: scripts/check-instructions");
  }
  for (const std::vector<Work>& group : {bandit_work(), primitive_work()}) {
    for (const Work& work : group) {
      for (const Subject& subject : subjects_of(work)) count(work, subject);
    }
  }
}

}  // namespace sotto::instructions
