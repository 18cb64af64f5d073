#include "sotto/apps/robin/roles/terms.h"

#include <cmath>

#include "sotto/core/error/errors.h"
#include "sotto/core/wire/coding.h"

namespace sotto::apps {
namespace {

struct Put {
  ByteWriter& out;
  void operator()(std::uint64_t value) const { out.number(value); }
  void operator()(double value) const { out.number(value); }
  void operator()(bool value) const { out.octet(value ? 1 : 0); }
  template <class Kind>
  void choice(Kind value, Kind /*last*/) const {
    out.octet(static_cast<std::uint8_t>(value));
  }
};

struct Take {
  ByteReader& in;
  bool& sound;
  void operator()(std::uint64_t& value) const { value = in.number<std::uint64_t>(); }
  void operator()(double& value) const {
    value = in.number<double>();
    sound = sound && std::isfinite(value);
  }
  void operator()(bool& value) const { value = in.flag(); }
  template <class Kind>
  void choice(Kind& value, Kind last) const {
    const std::uint8_t octet = in.octet();
    sound = sound && octet <= static_cast<std::uint8_t>(last);
    if (sound) value = static_cast<Kind>(octet);
  }
};

// One list of all fields, for both directions. A field that is new belongs here too.
static_assert(sizeof(RobinSettings) == 152);

template <class Terms, class F>
void for_each_field(Terms& terms, const F& f) {
  auto& settings = terms.settings;
  f(settings.clients);
  f(settings.dimension);
  f(settings.arms);
  f(settings.horizon);
  f(settings.init_phases);
  f(settings.epsilon);
  f(settings.delta);
  f.choice(settings.composition, Composition::basic);
  f.choice(settings.noise, NoiseKind::gaussian);
  f.choice(settings.range, RangeKind::last_release);
  f(settings.adaptive);
  f(settings.most_misfire);
  f(settings.noise_sd);
  f(settings.margin);
  f(settings.diversity);
  f(settings.lambda_min);
  f(settings.tau_factor);
  f(settings.alpha);
  f(settings.ridge);
  f(settings.bound);
  f(settings.reward_bound);
  f(settings.seed);
  f(terms.simulated);
  f(terms.local);
  f(terms.deadline_seconds);
}

// checked() has nothing to refuse and nothing to fill in.
bool is_checked(const RobinSettings& settings) {
  try {
    const RobinSettings again = checked(settings);
    return again.init_phases == settings.init_phases && again.reward_bound == settings.reward_bound;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::vector<Phase> phases_of(const RobinTerms& terms) {
  return terms.local ? local_phases_of(terms.settings) : phases_of(terms.settings);
}

std::size_t releases_of(const RobinTerms& terms) { return terms.local ? 0 : releases_of(terms.settings); }

std::vector<std::byte> encode(const RobinTerms& terms) {
  ByteWriter out;
  for_each_field(terms, Put{out});
  return out.take();
}

std::optional<RobinTerms> decode_terms(std::span<const std::byte> payload) {
  static_assert(sizeof(std::size_t) == sizeof(std::uint64_t));
  ByteReader in(payload);
  RobinTerms terms;
  bool sound = true;
  for_each_field(terms, Take{in, sound});
  if (!sound || !in.at_end() || !(terms.settings.lambda_min > 0) || !(terms.deadline_seconds > 0) ||
      terms.deadline_seconds > longest_robin_deadline || !is_checked(terms.settings)) {
    return std::nullopt;
  }
  return terms;
}

}  // namespace sotto::apps
