// A byte stream with delay, jitter, a rate and loss of connection, around another stream.
//
// Both ends must be wrapped and run on one machine, because all times are of its steady clock. The sender computes when
// each stretch of bytes must arrive, and sends this arrival time before the stretch. The receiver stores the bytes and
// delivers them at the arrival time, so each direction is delayed exactly once.
//
// A sender waits while more than `send_buffer` of the bytes that it has written are not serialized yet. A receiver
// stores at most a bandwidth-delay product plus one send buffer, or 16 MiB without a rate.
//
// A link that is cut is lost at both ends at the same time, with all bytes that were on their way. The end that
// connected draws the time of the cut and announces it first.
//
// The inner stream carries extra bytes: 16 at first, and 16 for each write and each 16 KiB of a write. The extra bytes
// take no time on the emulated link.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "sotto/protocol/transport/emulate/conditions.h"
#include "sotto/protocol/transport/stream.h"

namespace sotto::net {

// Bytes that a sender may have written and that are not serialized yet.
inline constexpr std::size_t send_buffer = 256 * 1024;

// A write starts when the bytes before it are serialized, and takes the time bytes / rate. A write arrives after the
// delay and its own jitter, but not before earlier writes.
class SendSchedule {
 public:
  // Links with the same seed have the same jitter.
  SendSchedule(const LinkConditions& conditions, std::uint64_t seed);

  // The link accepts the next write from this time on.
  [[nodiscard]] Clock::time_point open_at() const { return free_at_ - buffered_; }
  // Returns the arrival time of the last byte.
  [[nodiscard]] Clock::time_point send(std::size_t bytes, Clock::time_point now);

  // Clock::time_point::max() if never.
  [[nodiscard]] Clock::time_point cut_time(Clock::time_point made);

 private:
  [[nodiscard]] double uniform();  // in [0, 1)

  LinkConditions conditions_;
  std::chrono::nanoseconds buffered_;  // of `send_buffer` bytes
  std::mt19937_64 random_;
  Clock::time_point free_at_{};
  Clock::time_point last_arrival_{};
};

class EmulatedLink final : public ByteStream {
 public:
  using Now = std::function<Clock::time_point()>;

  // `accepted` is true at the end that accepted the connection. `seed` decides the jitter and the cut.
  EmulatedLink(std::unique_ptr<ByteStream> inner, const LinkConditions& conditions, bool accepted, std::uint64_t seed,
               Now now = Clock::now);

  [[nodiscard]] Transfer read_some(std::span<std::byte> into) override;
  [[nodiscard]] Transfer write_some(std::span<const std::byte> head, std::span<const std::byte> body) override;
  [[nodiscard]] Waitable wait_for(bool reading, bool writing) const override;
  void end_writing() noexcept override { inner_->end_writing(); }
  void close() noexcept override;
  [[nodiscard]] std::string failure() const override;

 private:
  static constexpr std::size_t word_pair = 16;  // bytes
  struct Stretch {
    Clock::time_point arrival;
    std::size_t bytes;
  };

  void begin_stretch(std::size_t bytes);
  bool is_cut();
  void take_in();
  void parse(std::span<const std::byte> raw);
  void parse_words();
  [[nodiscard]] std::size_t hand_out(std::span<std::byte> into);
  [[nodiscard]] std::size_t held() const noexcept { return held_.size() - handed_out_; }

  std::unique_ptr<ByteStream> inner_;
  Now now_;
  SendSchedule schedule_;
  std::size_t most_held_;
  Clock::time_point cut_at_;
  std::string failure_;

  std::array<std::byte, 2 * word_pair> words_{};
  std::span<const std::byte> words_left_;
  std::size_t stretch_left_ = 0;
  bool greeted_ = false;

  std::vector<std::byte> raw_;
  std::array<std::byte, word_pair> received_{};
  std::size_t received_bytes_ = 0;
  bool heard_greeting_ = false;
  Stretch incoming_{};  // `bytes` still to come
  std::vector<std::byte> held_;
  std::size_t handed_out_ = 0;  // of held_
  std::deque<Stretch> stretches_;
  std::optional<State> ended_;  // state of the inner stream at its end
};

}  // namespace sotto::net
