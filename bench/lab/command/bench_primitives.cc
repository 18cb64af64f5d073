#include "bench/lab/lab_commands.h"

#include <fmt/format.h>

#include <vector>

#include "apps/kit/program/option_values.h"
#include "bench/lab/command/lab_output.h"
#include "bench/lab/measure/primitives.h"
#include "core/text/count.h"

namespace sotto::apps::lab {
namespace {

struct PrimitivesBench {
  std::vector<std::string> primitives = primitive_names();
  std::vector<std::size_t> parties{2, 3, 5};
  std::vector<std::size_t> lanes = usual_sizes("multiply");
  std::vector<std::size_t> arms = usual_sizes("argmax");
  std::vector<std::size_t> events = usual_sizes("choose");
  std::vector<std::size_t> rows = usual_sizes("matmul");
  std::size_t repeats = 0;
};

const std::vector<std::size_t>& sizes_of(const PrimitivesBench& arguments, const std::string& name) {
  if (name == "argmax") return arguments.arms;
  if (name == "choose") return arguments.events;
  return name == "matmul" ? arguments.rows : arguments.lanes;
}

std::vector<PrimitiveCase> cases_of(const PrimitivesBench& arguments) {
  std::vector<PrimitiveCase> cases;
  for (const std::string& name : arguments.primitives) {
    for (const std::size_t size : sizes_of(arguments, name)) {
      for (const std::size_t parties : arguments.parties) {
        cases.push_back(PrimitiveCase{name, size, parties});
      }
    }
  }
  return cases;
}

Page measure_primitives(const PrimitivesBench& arguments) {
  const std::vector<PrimitiveCase> cases = cases_of(arguments);
  for (const PrimitiveCase& what : cases) check_case(what);
  PrimitiveOptions options;
  options.repeats = arguments.repeats;
  options.interrupted = &interrupted();
  std::vector<PrimitiveFigures> figures;
  for (const PrimitiveCase& what : cases) {
    show_progress(fmt::format("{} of {}, {} ({} of {})", what.name, counted(what.size, size_unit(what.name)),
                              counted(what.parties, "party"), figures.size() + 1, cases.size()));
    figures.push_back(measure_primitive(what, options));
  }
  return {"primitives",
          "Primitives",
          "Each primitive between parties that are threads of one process, linked by plain TCP on loopback, with the "
          "same drivers and links as between processes. The dealer runs before the first round, and the last party "
          "holds its corrections in memory. A repetition starts when all parties have heard from each other; the "
          "first is not counted.",
          {},
          {primitives_table(figures)}};
}

void declare_primitives(Command& command, PrimitivesBench& arguments) {
  command.add_option("--primitive", arguments.primitives, "What to measure; several in turn")
      ->separated_by(',')
      ->one_of(primitive_names())
      ->shows("all");
  add_parties(command, arguments.parties)->shows_default();
  command.add_option("--lanes", arguments.lanes, "Lanes; several in turn", whole())->separated_by(',');
  command.add_option("--arms", arguments.arms, "Arms of argmax; several in turn", whole())->separated_by(',');
  command.add_option("--events", arguments.events, "Events of choose, of 10 arms each; several in turn", whole())
      ->separated_by(',');
  command.add_option("--rows", arguments.rows, "Rows of the square matrices; several in turn", whole())
      ->separated_by(',');
  command.add_option("--repeat", arguments.repeats, "Repetitions that are timed (default: fewer of larger cases)")
      ->number(whole(1, 10'000));
}

}  // namespace

void add_bench_primitives(Command& bench) {
  add_measurement<PrimitivesBench>(bench, "primitives",
                                   "Time each primitive, and count its rounds, bytes and dealt bytes",
                                   "Examples:\n"
                                   "  sotto-lab bench primitives\n"
                                   "  sotto-lab bench primitives --primitive compare,argmax --parties 2 --json\n"
                                   "  sotto-lab bench primitives --out primitives.md",
                                   declare_primitives, measure_primitives);
}

}  // namespace sotto::apps::lab
