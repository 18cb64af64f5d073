#include "apps/robin/roles/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/control.h"
#include "sotto/protocol/wire/coding.h"

namespace sotto::apps::robin {
namespace {

constexpr std::size_t room_for_other_messages = 4096;

std::vector<std::byte> encoded(std::uint64_t release, const std::vector<double>& values) {
  ByteWriter out;
  out.number(release);
  out.numbers(std::span(values));
  return out.take();
}

template <class Message>
std::optional<Message> decoded(std::span<const std::byte> payload) {
  ByteReader in(payload);
  const auto release = in.number<std::uint64_t>();
  Message message{release, in.numbers<double>()};
  if (!in.at_end()) return std::nullopt;
  return message;
}

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

// If you add a field to the settings, add it to for_each_field() for encoding and decoding.
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

bool is_checked(const RobinSettings& settings) {
  try {
    const RobinSettings again = checked(settings);
    return again.init_phases == settings.init_phases && again.reward_bound == settings.reward_bound;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::string clients_text(std::uint64_t first, std::uint64_t count) {
  if (count == 1) return fmt::format("client {}", first);
  return fmt::format("clients {} to {}", first, first + count - 1);
}

std::vector<std::byte> encode(const RobinJoin& join) {
  ByteWriter out;
  for (const std::uint64_t number : {join.first, join.count, join.dimension, join.arms, join.steps, join.columns}) {
    out.number(number);
  }
  out.number(join.most_epsilon);
  out.number(join.most_delta);
  return out.take();
}

std::optional<RobinJoin> decode_join(std::span<const std::byte> payload) {
  ByteReader in(payload);
  RobinJoin join;
  for (std::uint64_t* number : {&join.first, &join.count, &join.dimension, &join.arms, &join.steps, &join.columns}) {
    *number = in.number<std::uint64_t>();
  }
  join.most_epsilon = in.number<double>();
  join.most_delta = in.number<double>();
  // NaN fails these comparisons too.
  if (!(join.most_epsilon > 0) || !(join.most_delta > 0)) return std::nullopt;
  const bool none = join.dimension == 0 && join.arms == 0 && join.steps == 0 && join.columns == 0;
  const bool all = join.dimension > 0 && join.arms > 0 && join.steps > 0;
  if (!in.at_end() || join.count == 0 || !(none || all)) return std::nullopt;
  if (join.first > std::numeric_limits<std::uint64_t>::max() - join.count) return std::nullopt;
  return join;
}

std::vector<std::byte> encode(const RobinPlay& play) { return encoded(play.release, play.broadcast); }

std::optional<RobinPlay> decode_play(std::span<const std::byte> payload) { return decoded<RobinPlay>(payload); }

std::vector<std::byte> encode(const RobinEstimates& estimates) { return encoded(estimates.release, estimates.values); }

std::optional<RobinEstimates> decode_estimates(std::span<const std::byte> payload) {
  return decoded<RobinEstimates>(payload);
}

std::vector<std::byte> encode(const RobinFinished& finished) {
  ByteWriter out;
  out.number(finished.releases);
  out.number(finished.epsilon_spent);
  return out.take();
}

std::optional<RobinFinished> decode_finished(std::span<const std::byte> payload) {
  ByteReader in(payload);
  RobinFinished finished;
  finished.releases = in.number<std::uint64_t>();
  finished.epsilon_spent = in.number<double>();
  // NaN fails this comparison too.
  if (!in.at_end() || !(finished.epsilon_spent >= 0)) return std::nullopt;
  return finished;
}

std::vector<std::byte> encode(const RobinFailed& failed) {
  ByteWriter out;
  out.number(static_cast<std::uint32_t>(failed.code));
  out.long_text(std::string_view(failed.text).substr(0, longest_robin_failure));
  return out.take();
}

std::optional<RobinFailed> decode_failed(std::span<const std::byte> payload) {
  ByteReader in(payload);
  const auto code = in.number<std::uint32_t>();
  std::string text = in.long_text(longest_robin_failure);
  if (!in.at_end() || !net::is_failure(code)) return std::nullopt;
  const auto is_control = [](char c) {
    const auto octet = static_cast<unsigned char>(c);
    return octet < 0x20 || octet == 0x7f;
  };
  std::replace_if(text.begin(), text.end(), is_control, ' ');
  return RobinFailed{static_cast<ExitCode>(code), std::move(text)};
}

std::size_t longest_robin_payload(std::size_t clients, std::size_t dimension) {
  return room_for_other_messages + clients * dimension * sizeof(double);
}

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

}  // namespace sotto::apps::robin
