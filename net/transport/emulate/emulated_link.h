// A byte stream with delay, jitter, a rate and loss of connection, around another stream.
//
// Both ends of a link must be wrapped, on one machine: times are those of its steady clock. The sender decides: it puts
// before each stretch of bytes when they arrive, by its schedule. The receiver reads what comes, keeps it, and hands it
// on at those times. So each direction is delayed exactly once, and neither a sender nor a receiver that computes
// meanwhile changes anything: bytes travel while the roles work.
//
// Bounds: a sender that is ahead of the rate by a send buffer (SendSchedule) has to wait. A receiver keeps a
// bandwidth-delay product and a send buffer, without a rate a window of 16 MiB; what is more waits in the stream around
// which this one is.
//
// A link that is cut is lost at both ends at the same time, with all that was on its way: the end that connected draws
// when, and says so first.
//
// Added to the bytes of the inner stream: 16 at first, and 16 for each write and each 16 KiB of it. They take no time
// of the emulated link.
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

// What a sender may have written that is not serialized yet.
inline constexpr std::size_t send_buffer = 256 * 1024;

// When the bytes of one direction of an emulated link arrive: pure arithmetic on the times that it is given.
//
// A write starts when the bytes before it are serialized, takes bytes / rate, and arrives after the delay and its own
// jitter, but not before what was written before it. The sender may run ahead of the rate by one socket buffer
// (send_buffer bytes); more than that has to wait.
class SendSchedule {
 public:
  // Links of one seed have the same jitter.
  SendSchedule(const LinkConditions& conditions, std::uint64_t seed);

  // From this time on the link takes another write; it may be in the past.
  [[nodiscard]] Clock::time_point open_at() const { return free_at_ - buffered_; }
  // The link takes these bytes now; returns when the last of them arrives.
  [[nodiscard]] Clock::time_point send(std::size_t bytes, Clock::time_point now);

  // When a connection that is made now is cut; Clock::time_point::max() if never.
  [[nodiscard]] Clock::time_point cut_time(Clock::time_point made);

 private:
  [[nodiscard]] double uniform();  // in [0, 1)

  LinkConditions conditions_;
  std::chrono::nanoseconds buffered_;  // what serializing a whole send buffer takes
  std::mt19937_64 random_;
  Clock::time_point free_at_{};  // the epoch of the clock is long ago
  Clock::time_point last_arrival_{};
};

class EmulatedLink final : public ByteStream {
 public:
  using Now = std::function<Clock::time_point()>;

  // `accepted` is the end that was connected to. `seed` is of the jitter, and of the cut.
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
  std::string failure_;  // of the emulated link itself

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
  Stretch incoming_{};  // bytes: still to come
  std::vector<std::byte> held_;
  std::size_t handed_out_ = 0;  // of held_
  std::deque<Stretch> stretches_;
  std::optional<State> ended_;  // what the inner stream said when it ended
};

}  // namespace sotto::net
