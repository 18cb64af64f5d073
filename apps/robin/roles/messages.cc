#include "sotto/apps/robin/roles/messages.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "sotto/net/control.h"
#include "sotto/net/handshake/coding.h"

namespace sotto::apps {
namespace {

using net::Reader;
using net::Writer;

constexpr std::size_t room_for_other_messages = 4096;

void put_doubles(Writer& out, std::span<const double> values) {
  out.number(static_cast<std::uint64_t>(values.size()));
  out.bytes(std::as_bytes(values));
}

// The count of numbers must be what is left of the payload: nothing is allocated for a claim.
std::optional<std::vector<double>> take_doubles(Reader& in, std::size_t left) {
  const auto count = in.number<std::uint64_t>();
  if (!in.ok() || count != (left - sizeof count) / sizeof(double)) return std::nullopt;
  const std::span<const std::byte> bytes = in.bytes(count * sizeof(double));
  if (!in.at_end()) return std::nullopt;
  std::vector<double> values(count);
  if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace

std::vector<std::byte> encode(const RobinJoin& join) {
  Writer out;
  for (const std::uint64_t number :
       {join.first, join.count, join.dimension, join.arms, join.steps, join.columns}) {
    out.number(number);
  }
  out.number(join.most_epsilon);
  out.number(join.most_delta);
  return out.take();
}

std::optional<RobinJoin> decode_join(std::span<const std::byte> payload) {
  Reader in(payload);
  RobinJoin join;
  for (std::uint64_t* number :
       {&join.first, &join.count, &join.dimension, &join.arms, &join.steps, &join.columns}) {
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

std::vector<std::byte> encode(const RobinPlay& play) {
  Writer out;
  out.number(play.release);
  put_doubles(out, play.broadcast);
  return out.take();
}

std::optional<RobinPlay> decode_play(std::span<const std::byte> payload) {
  Reader in(payload);
  const auto release = in.number<std::uint64_t>();
  if (payload.size() < 2 * sizeof release) return std::nullopt;
  auto broadcast = take_doubles(in, payload.size() - sizeof release);
  if (!broadcast) return std::nullopt;
  return RobinPlay{release, std::move(*broadcast)};
}

std::vector<std::byte> encode(const RobinEstimates& estimates) {
  Writer out;
  out.number(estimates.release);
  put_doubles(out, estimates.values);
  return out.take();
}

std::optional<RobinEstimates> decode_estimates(std::span<const std::byte> payload) {
  Reader in(payload);
  const auto release = in.number<std::uint64_t>();
  if (payload.size() < 2 * sizeof release) return std::nullopt;
  auto values = take_doubles(in, payload.size() - sizeof release);
  if (!values) return std::nullopt;
  return RobinEstimates{release, std::move(*values)};
}

std::vector<std::byte> encode(const RobinFinished& finished) {
  Writer out;
  out.number(finished.releases);
  out.number(finished.epsilon_spent);
  return out.take();
}

std::optional<RobinFinished> decode_finished(std::span<const std::byte> payload) {
  Reader in(payload);
  RobinFinished finished;
  finished.releases = in.number<std::uint64_t>();
  finished.epsilon_spent = in.number<double>();
  // Not NaN either.
  if (!in.at_end() || !(finished.epsilon_spent >= 0)) return std::nullopt;
  return finished;
}

std::vector<std::byte> encode(const RobinFailed& failed) {
  Writer out;
  out.number(static_cast<std::uint32_t>(failed.code));
  out.long_text(std::string_view(failed.text).substr(0, longest_robin_failure));
  return out.take();
}

std::optional<RobinFailed> decode_failed(std::span<const std::byte> payload) {
  Reader in(payload);
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
