#include "apps/live/order/lift_window.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace sotto::apps::live {
namespace {

// Sums modulo 2^64, as shares and dishonest roles need.
void add(LiftWords& to, const LiftWords& words) {
  to.resize(std::max(to.size(), words.size()));
  for (std::size_t i = 0; i < words.size(); ++i) to[i] += words[i];
}

}  // namespace

bool fills(const LiftWindow& before, std::uint64_t events, const LiftTerms& terms) {
  return terms.levels > 0 && (before.is_full ? 0 : before.events) + events >= terms.window;
}

LiftWindow after(const LiftWindow& before, const LiftCounted& learn, const LiftTerms& terms) {
  LiftWindow next = before;
  if (terms.levels == 0) return next;
  if (before.is_full) {
    ++next.opened;
    next.events = 0;
    next.words.clear();
    next.last = learn.shown;
    add(next.all, learn.shown);
  }
  next.is_full = fills(before, learn.events, terms);
  next.events += learn.events;
  add(next.words, learn.words);
  if (next.is_full) next.spent += terms.epsilon;
  return next;
}

LiftWindow with_new_window(const LiftWindow& before) {
  LiftWindow next = before;
  next.events = 0;
  next.is_full = false;
  next.words.clear();
  return next;
}

void write(ByteWriter& out, const LiftWindow& lift) {
  out.number(lift.events);
  out.octet(lift.is_full ? 1 : 0);
  out.number(lift.opened);
  out.number(lift.spent);
  out.numbers(std::span(lift.words));
  out.numbers(std::span(lift.last));
  out.numbers(std::span(lift.all));
}

LiftWindow read_lift_window(ByteReader& in) {
  LiftWindow lift;
  lift.events = in.number<std::uint64_t>();
  lift.is_full = in.flag();
  lift.opened = in.number<std::uint64_t>();
  lift.spent = in.number<double>();
  lift.words = in.numbers<std::uint64_t>();
  lift.last = in.numbers<std::uint64_t>();
  lift.all = in.numbers<std::uint64_t>();
  return lift;
}

}  // namespace sotto::apps::live
