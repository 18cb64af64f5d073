// A byte stream with delay, jitter, a rate and loss of connection, around another stream.
//
// Both ends of a link must be wrapped and must run on one machine, because all times are times of that machine's steady
// clock. The sender decides when bytes arrive: before each stretch of bytes it sends the arrival time from its
// schedule. The receiver reads the bytes, stores them, and delivers them at their arrival times. In this way each
// direction is delayed exactly once. Bytes travel while the sender or the receiver computes.
//
// Bounds: a sender has to wait while more than one send buffer of its bytes is not serialized yet (SendSchedule). A
// receiver stores at most a bandwidth-delay product plus one send buffer. If there is no rate, it stores at most a
// window of 16 MiB. Further bytes wait in the inner stream.
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

// The number of bytes that a sender may have written and that are not serialized yet.
inline constexpr std::size_t send_buffer = 256 * 1024;

// The arrival times of the bytes of one direction of an emulated link: pure arithmetic on the given times.
//
// A write starts when the bytes before it are serialized, and takes the time bytes / rate. A write arrives after the
// delay and its own jitter, but not before earlier writes. Up to one socket buffer (send_buffer bytes) may be written
// and not serialized yet; further bytes have to wait.
class SendSchedule {
 public:
  // Links with the same seed have the same jitter.
  SendSchedule(const LinkConditions& conditions, std::uint64_t seed);

  // The time from which on the link takes another write; it may be in the past.
  [[nodiscard]] Clock::time_point open_at() const { return free_at_ - buffered_; }
  // Adds a write of `bytes` bytes at the time `now`; returns the time when the last byte arrives.
  [[nodiscard]] Clock::time_point send(std::size_t bytes, Clock::time_point now);

  // The time at which a connection made at `made` is cut; Clock::time_point::max() if never.
  [[nodiscard]] Clock::time_point cut_time(Clock::time_point made);

 private:
  [[nodiscard]] double uniform();  // in [0, 1)

  LinkConditions conditions_;
  std::chrono::nanoseconds buffered_;  // the time to serialize a whole send buffer
  std::mt19937_64 random_;
  Clock::time_point free_at_{};  // the epoch of the clock, which is long ago
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
  static constexpr std::size_t word_pair = 16;  // bytes of a greeting, and of a stretch's header
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
  std::string failure_;  // failure of the emulated link itself

  // Sending: words that must go out before the stretch that they announce.
  std::array<std::byte, 2 * word_pair> words_{};
  std::span<const std::byte> words_left_;
  std::size_t stretch_left_ = 0;
  bool greeted_ = false;

  // Receiving.
  std::vector<std::byte> raw_;
  std::array<std::byte, word_pair> heard_{};
  std::size_t heard_bytes_ = 0;
  bool heard_greeting_ = false;
  Stretch incoming_{};  // the incoming stretch; its `bytes` are still to come
  std::vector<std::byte> held_;
  std::size_t handed_out_ = 0;  // bytes of held_ that were already delivered
  std::deque<Stretch> stretches_;
  std::optional<State> ended_;  // the inner stream's state when it ended
};

}  // namespace sotto::net
