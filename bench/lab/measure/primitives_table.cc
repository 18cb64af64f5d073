#include "sotto/bench/lab/measure/primitives.h"

#include <fmt/format.h>

#include <optional>

#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

std::vector<Cell> row_of(const PrimitiveFigures& f) {
  const bool timed = f.skipped.empty();
  const std::optional<double> aim = aim_seconds(f.what);
  std::optional<double> online, dealer, a_lane, aim_us;
  std::optional<bool> met;
  if (timed) {
    online = 1e6 * f.online_seconds;
    dealer = 1e6 * f.dealer_seconds;
    a_lane = 1e9 * f.online_seconds / static_cast<double>(f.what.size);
    if (aim) met = f.online_seconds <= *aim;
  }
  if (aim) aim_us = 1e6 * *aim;
  return {f.what.name,
          f.what.size,
          noun(2, size_unit(f.what.name)),
          f.what.parties,
          f.rounds,
          f.bytes_sent,
          f.dealt_bytes,
          online,
          a_lane,
          dealer,
          f.repeats * f.batch,
          aim_us,
          met,
          f.skipped.empty() ? Cell() : Cell(f.skipped)};
}

}  // namespace

FigureTable primitives_table(const std::vector<PrimitiveFigures>& figures) {
  FigureTable table("primitives", "One repetition of each primitive, correlations dealt ahead and in memory",
                    {{"primitive", "primitive"},
                     {"size", "size"},
                     {"unit", "of"},
                     {"parties", "parties"},
                     {"rounds", "rounds"},
                     {"sent_bytes", "sent by a party, B"},
                     {"dealt_bytes", "dealt, B"},
                     {"online_us", "online, us"},
                     {"online_ns_each", "a lane, ns"},
                     {"dealer_us", "dealer, us"},
                     {"repetitions", "times"},
                     {"aim_us", "aim, us"},
                     {"met", "met"},
                     {"note", "note"}});
  std::size_t aims = 0;
  std::size_t met = 0;
  for (const PrimitiveFigures& f : figures) {
    table.add(row_of(f));
    const std::optional<double> aim = aim_seconds(f.what);
    if (!aim || !f.skipped.empty()) continue;
    ++aims;
    if (f.online_seconds <= *aim) ++met;
  }
  table.note(
      "Online: wall time of one repetition, the median of the repetitions at the slowest party. Dealer: its CPU time, "
      "one core. Sent to all other parties together, and dealt to the last party, headers included. compare is [x < 0] "
      "of 32 bits; multiply and matmul start from shares, argmax from masked scores of 26 bits; round is one word a "
      "lane from each party to each other.");
  if (aims != 0) table.note(fmt::format("{} of {} aims are met.", met, aims));
  return table;
}

}  // namespace sotto::apps
