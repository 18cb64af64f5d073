#include <fmt/format.h>

#include "bench/lab/measure/mode_trial.h"
#include "bench/lab/measure/samples.h"
#include "core/text/count.h"

namespace sotto::apps::lab {
namespace {

// What is alike in both rows of a measurement.
struct ModeRow {
  RandomnessBy by;
  const ModeFigures& figures;
};

std::vector<ModeRow> rows_of(const ModeMeasurement& m) {
  return {{m.configuration.mode, m.made}, {RandomnessBy::dealer, m.dealt}};
}

bool is_usual(const ModeCase& c, RandomnessBy mode, std::size_t batch) {
  return c.mode == mode && c.features == 20 && c.arms == 10 && c.batch == batch && (batch > 1 || c.selects_first());
}

// What a step computes for.
Cell update_of(const ModeCase& c) {
  if (c.batch > 1) return {};
  return c.selects_first() ? "pulled arm" : "all arms";
}

std::string title_of(const ModeCase& c) {
  return fmt::format("{}, {}{}", name_of(c.mode), counted(c.parties(), "party"),
                     c.batch > 1         ? fmt::format(", batches of {}", c.batch)
                     : c.selects_first() ? ", the pulled arm first"
                                         : "");
}

}  // namespace

FigureTable mode_time_table(const std::vector<ModeMeasurement>& measurements) {
  FigureTable table("times", "Time a step, preprocessing included and apart",
                    "preprocessing; parties; batch; update; steps; all_us: in all, us; steps_per_second: in all/s; "
                    "times_the_dealer: times the dealer; online_us: online alone, us; "
                    "online_times_the_dealer: times the dealer; preprocessing_us: preprocessing, us");
  for (const ModeMeasurement& m : measurements) {
    const ModeCase& c = m.configuration;
    for (const auto& [by, figures] : rows_of(m)) {
      const double all = median(figures.all_us);
      const double online = median(figures.online_us);
      table.add({name_of(by), c.parties(), c.batch, update_of(c), c.steps, all, 1e6 / all, all / median(m.dealt.all_us),
                 online, online / median(m.dealt.online_us), median(figures.preprocessing_us)});
    }
  }
  table.note(
      "In all: from the first round to the last, all roles on the same cores, with what the parties make ahead, or the "
      "dealer dealing beside them. Online alone: the parties' rounds without that; the dealer's are of runs dealt "
      "ahead. "
      "Preprocessing: what the parties make ahead; of the dealer its CPU time, dealt ahead. In batches a step is an "
      "event. Medians over the repetitions, quotients of medians.");
  return table;
}

FigureTable mode_byte_table(const std::vector<ModeMeasurement>& measurements) {
  FigureTable table(
      "bytes", "Bytes and rounds a step",
      "preprocessing; parties; batch; update; sent_bytes: sent by a party in all, B; online_bytes: online, B; "
      "preprocessing_bytes: preprocessing, B; dealt_bytes: dealt, B; rounds: rounds online; "
      "preprocessing_rounds: rounds of preprocessing");
  for (const ModeMeasurement& m : measurements) {
    const ModeCase& c = m.configuration;
    const ModeFigures& f = m.made;
    table.add({name_of(c.mode), c.parties(), c.batch, update_of(c), f.sent_bytes + f.preprocessing_bytes, f.sent_bytes,
               f.preprocessing_bytes, Cell(), f.rounds, f.preprocessing_rounds});
    table.add({name_of(RandomnessBy::dealer), c.parties(), c.batch, update_of(c), m.dealt.sent_bytes,
               m.dealt.sent_bytes, 0., m.dealt.preprocessing_bytes, m.dealt.rounds, 0.});
  }
  table.note(
      "Sent by the largest party to all others, headers included, a step or an event; agreeing on keys and on "
      "transfers "
      "is shared out among the steps of the run. Dealt: to the last party.");
  return table;
}

FigureTable mode_target_table(const std::vector<ModeMeasurement>& measurements) {
  Targets targets;
  for (const ModeMeasurement& m : measurements) {
    const ModeCase& c = m.configuration;
    const double all = median(m.made.all_us);
    if (is_usual(c, RandomnessBy::replicated, 1)) {
      targets.add(title_of(c), "times the dealer", all / median(m.dealt.all_us), 1.6);
    }
    if (is_usual(c, RandomnessBy::replicated, 256)) targets.add(title_of(c), "an event, us", all, 1e6 / 12'000);
    if (is_usual(c, RandomnessBy::ot, 1)) targets.add(title_of(c), "a step, ms", all / 1e3, 6);
    if (is_usual(c, RandomnessBy::ot, 1024)) {
      targets.add(title_of(c), "an event, ms", all / 1e3, 3);
      targets.add(title_of(c), "sent by a party, KB", (m.made.sent_bytes + m.made.preprocessing_bytes) / 1e3, 320);
    }
  }
  return targets.take();
}

}  // namespace sotto::apps::lab
