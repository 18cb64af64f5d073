#include "apps/live/order/agreement.h"

#include <fmt/format.h>

#include <cmath>

namespace sotto::apps::live {

Agreement after(const Agreement& before, const Compared& decide, const AgreementTerms& terms) {
  Agreement next = before;
  if (before.is_full) {
    ++next.opened;
    next.last = AgreedEvents{before.counted, decide.shown};
    next.all.events += before.counted;
    // A dishonest party may send any number, so the sum is computed without signed overflow.
    next.all.agreed = static_cast<std::int64_t>(static_cast<std::uint64_t>(next.all.agreed) +
                                                static_cast<std::uint64_t>(decide.shown));
    next.events = next.share = next.counted = 0;
  }
  next.events += decide.events;
  next.share += decide.share;
  next.counted += decide.counted;
  next.is_full = next.events >= terms.window;
  if (next.is_full) next.spent += terms.epsilon;
  return next;
}

std::string weak_agreement_text(double epsilon) {
  if (epsilon <= weak_agreement_epsilon) return "";
  return fmt::format(
      "agreement_epsilon = {:g} is above {:g}: a yes or no about a person can be guessed from one window, rightly in "
      "up to {:.4g}% of cases. Each window costs as much again; choose {:g} or less",
      epsilon, weak_agreement_epsilon, 100 / (1 + std::exp(-epsilon)), weak_agreement_epsilon);
}

Agreement with_new_window(const Agreement& before) {
  Agreement next = before;
  next.events = next.share = next.counted = 0;
  next.is_full = false;
  return next;
}

void write(ByteWriter& out, const Agreement& agreement) {
  out.number(agreement.events);
  out.octet(agreement.is_full ? 1 : 0);
  out.number(agreement.opened);
  out.number(agreement.spent);
  out.number(agreement.share);
  out.number(agreement.counted);
  for (const AgreedEvents& agreed : {agreement.last, agreement.all}) {
    out.number(agreed.events);
    out.number(agreed.agreed);
  }
}

Agreement read_agreement(ByteReader& in) {
  Agreement agreement;
  agreement.events = in.number<std::uint64_t>();
  agreement.is_full = in.flag();
  agreement.opened = in.number<std::uint64_t>();
  agreement.spent = in.number<double>();
  agreement.share = in.number<std::uint64_t>();
  agreement.counted = in.number<std::uint64_t>();
  for (AgreedEvents* const agreed : {&agreement.last, &agreement.all}) {
    agreed->events = in.number<std::uint64_t>();
    agreed->agreed = in.number<std::int64_t>();
  }
  return agreement;
}

}  // namespace sotto::apps::live
