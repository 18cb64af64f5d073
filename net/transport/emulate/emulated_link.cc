#include "net/transport/emulate/emulated_link.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace sotto::net {
namespace {

using std::chrono::nanoseconds;
constexpr std::size_t longest_stretch = 16 * 1024;
constexpr std::size_t window = 16 * 1024 * 1024;  // bytes, for a link without a rate
constexpr std::size_t read_at_once = 64 * 1024;
constexpr std::uint64_t greeting = 0x316b6e696c746f73u;  // "sotlink1"
constexpr const char* cut = "the emulated link was cut";

void put(std::span<std::byte> out, std::uint64_t value) { std::memcpy(out.data(), &value, sizeof value); }

std::uint64_t get(std::span<const std::byte> in) {
  std::uint64_t value = 0;
  std::memcpy(&value, in.data(), sizeof value);
  return value;
}

std::uint64_t count(Clock::time_point time) { return static_cast<std::uint64_t>(time.time_since_epoch().count()); }

Clock::time_point time_of(std::uint64_t count) {
  return Clock::time_point(Clock::duration(static_cast<Clock::rep>(count)));
}

std::size_t capacity(const LinkConditions& conditions) {
  if (conditions.bits_per_second == 0) return window;
  const double seconds = std::chrono::duration<double>(conditions.delay + conditions.jitter).count();
  return send_buffer + static_cast<std::size_t>(seconds * static_cast<double>(conditions.bits_per_second) / 8);
}

}  // namespace

SendSchedule::SendSchedule(const LinkConditions& conditions, std::uint64_t seed)
    : conditions_(conditions), buffered_(transfer_time(conditions, send_buffer)), random_(seed) {}

double SendSchedule::uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

Clock::time_point SendSchedule::send(std::size_t bytes, Clock::time_point now) {
  free_at_ = std::max(free_at_, now) + transfer_time(conditions_, bytes);
  const nanoseconds jitter(std::llround(uniform() * static_cast<double>(conditions_.jitter.count())));
  last_arrival_ = std::max(last_arrival_, free_at_ + conditions_.delay + jitter);
  return last_arrival_;
}

Clock::time_point SendSchedule::cut_time(Clock::time_point made) {
  if (conditions_.cut_after) return made + *conditions_.cut_after;
  if (conditions_.cut_probability <= 0) return Clock::time_point::max();
  // Let p be the probability that the link is cut within one second. The link survives t seconds with probability (1 -
  // p)^t.
  const double seconds = std::log1p(-uniform()) / std::log1p(-conditions_.cut_probability);
  constexpr double very_late = 1e9;
  return made + nanoseconds(std::llround(1e9 * std::min(seconds, very_late)));
}

EmulatedLink::EmulatedLink(std::unique_ptr<ByteStream> inner, const LinkConditions& conditions, bool accepted,
                           std::uint64_t seed, Now now)
    : inner_(std::move(inner)),
      now_(std::move(now)),
      schedule_(conditions, seed),
      most_held_(capacity(conditions)),
      cut_at_(accepted ? Clock::time_point::max() : schedule_.cut_time(now_())),
      raw_(read_at_once) {}

bool EmulatedLink::is_cut() {
  if (failure_.empty() && now_() >= cut_at_) {
    failure_ = cut;
    held_.clear();
    stretches_.clear();
    handed_out_ = 0;
  }
  return !failure_.empty();
}

// The first call also sends the greeting.
void EmulatedLink::begin_stretch(std::size_t bytes) {
  std::span<std::byte> at(words_);
  std::size_t used = 0;
  const auto append = [&](std::uint64_t first, std::uint64_t second) {
    put(at.subspan(used), first);
    put(at.subspan(used + 8), second);
    used += word_pair;
  };
  if (!greeted_) append(greeting, count(cut_at_));
  greeted_ = true;
  append(bytes, count(schedule_.send(bytes, now_())));
  words_left_ = std::span<const std::byte>(words_).first(used);
  stretch_left_ = bytes;
}

ByteStream::Transfer EmulatedLink::write_some(std::span<const std::byte> head, std::span<const std::byte> body) {
  if (is_cut()) return {0, State::lost};
  if (stretch_left_ == 0) {
    if (now_() < schedule_.open_at()) return {0, State::would_block};
    begin_stretch(std::min(head.size() + body.size(), longest_stretch));
  }
  // A stretch may end in the middle of a frame.
  head = head.first(std::min(head.size(), stretch_left_));
  body = body.first(std::min(body.size(), stretch_left_ - head.size()));
  std::array<std::byte, 4 * word_pair> front;
  const std::size_t announced = words_left_.size();
  if (announced > 0) {
    const std::size_t of_head = std::min(head.size(), front.size() - announced);
    std::copy(words_left_.begin(), words_left_.end(), front.begin());
    std::copy_n(head.begin(), of_head, front.begin() + static_cast<std::ptrdiff_t>(announced));
    if (of_head < head.size()) body = {};
    head = std::span<const std::byte>(front).first(announced + of_head);
  }
  const Transfer out = inner_->write_some(head, body);
  if (out.state != State::moved) return out;
  const std::size_t of_words = std::min(out.bytes, announced);
  words_left_ = words_left_.subspan(of_words);
  stretch_left_ -= out.bytes - of_words;
  if (out.bytes == of_words) return {0, State::would_block};
  return {out.bytes - of_words, State::moved};
}

ByteStream::Transfer EmulatedLink::read_some(std::span<std::byte> into) {
  if (is_cut()) return {0, State::lost};
  take_in();
  if (const std::size_t bytes = hand_out(into); bytes > 0) return {bytes, State::moved};
  if (is_cut()) return {0, State::lost};
  if (held() == 0 && ended_) return {0, *ended_};
  return {0, State::would_block};
}

// Bytes that come early must not block the bytes behind them.
void EmulatedLink::take_in() {
  while (!ended_ && failure_.empty() && held() < most_held_) {
    const Transfer in = inner_->read_some(raw_);
    if (in.state == State::would_block) return;
    if (in.state != State::moved) {
      ended_ = in.state;
      return;
    }
    parse(std::span<const std::byte>(raw_).first(in.bytes));
  }
}

void EmulatedLink::parse(std::span<const std::byte> raw) {
  while (!raw.empty() && failure_.empty()) {
    if (incoming_.bytes == 0) {
      const std::size_t bytes = std::min(raw.size(), word_pair - received_bytes_);
      std::copy_n(raw.begin(), bytes, received_.begin() + static_cast<std::ptrdiff_t>(received_bytes_));
      raw = raw.subspan(bytes);
      received_bytes_ += bytes;
      if (received_bytes_ == word_pair) parse_words();
      continue;
    }
    const std::size_t bytes = std::min(raw.size(), incoming_.bytes);
    held_.insert(held_.end(), raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(bytes));
    raw = raw.subspan(bytes);
    incoming_.bytes -= bytes;
    if (!stretches_.empty() && stretches_.back().arrival == incoming_.arrival) {
      stretches_.back().bytes += bytes;
    } else {
      stretches_.push_back(Stretch{incoming_.arrival, bytes});
    }
  }
}

void EmulatedLink::parse_words() {
  received_bytes_ = 0;
  const std::uint64_t first = get(received_);
  const std::uint64_t second = get(std::span(received_).subspan(8));
  if (!heard_greeting_) {
    heard_greeting_ = true;
    if (first != greeting) {
      failure_ = "its end of the link emulates nothing, or not as this one does";
    } else {
      cut_at_ = std::min(cut_at_, time_of(second));
    }
  } else if (first == 0 || first > longest_stretch) {
    failure_ = "its end of the emulated link is damaged";
  } else {
    incoming_ = Stretch{time_of(second), static_cast<std::size_t>(first)};
  }
}

std::size_t EmulatedLink::hand_out(std::span<std::byte> into) {
  const Clock::time_point now = now_();
  std::size_t out = 0;
  while (!stretches_.empty() && stretches_.front().arrival <= now && out < into.size()) {
    Stretch& first = stretches_.front();
    const std::size_t bytes = std::min(first.bytes, into.size() - out);
    std::memcpy(into.data() + out, held_.data() + handed_out_, bytes);
    out += bytes;
    handed_out_ += bytes;
    first.bytes -= bytes;
    if (first.bytes == 0) stretches_.pop_front();
  }
  if (handed_out_ > held_.size() / 2) {
    held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(handed_out_));
    handed_out_ = 0;
  }
  return out;
}

Waitable EmulatedLink::wait_for(bool reading, bool writing) const {
  const Clock::time_point open_at = writing && stretch_left_ == 0 ? schedule_.open_at() : Clock::time_point{};
  const bool open = now_() >= open_at;
  Waitable waitable = inner_->wait_for(reading && !ended_ && held() < most_held_, writing && open);
  const auto also_at = [&](Clock::time_point time) { waitable.ready_at = std::min(waitable.ready_at, time); };
  if (reading || writing) also_at(failure_.empty() ? cut_at_ : Clock::time_point{});
  if (!open) also_at(open_at);
  if (reading && !stretches_.empty()) also_at(stretches_.front().arrival);
  if (reading && stretches_.empty() && ended_) also_at(Clock::time_point{});
  return waitable;
}

void EmulatedLink::close() noexcept {
  stretches_.clear();
  held_.clear();
  handed_out_ = 0;
  inner_->close();
}

std::string EmulatedLink::failure() const { return failure_.empty() ? inner_->failure() : failure_; }

}  // namespace sotto::net
