#include "sotto/apps/robin/roles/messages.h"

#include <fmt/format.h>

#include <algorithm>

#include "sotto/core/wire/coding.h"
#include "sotto/net/mesh/control.h"

namespace sotto::apps {
namespace {

constexpr std::size_t room_for_other_messages = 4096;

// A release's number and a list of numbers.
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
  // Not NaN either.
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
  // Not NaN either.
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

}  // namespace sotto::apps
