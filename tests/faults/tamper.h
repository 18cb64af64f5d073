// A Tamper finds the frames in the bytes that a role sends, and changes one frame.
#pragma once

#include "sotto/protocol/transport/stream.h"
#include "sotto/protocol/wire/frame.h"
#include "tests/framework.h"

namespace sotto::testing {

enum class Deviation : std::uint8_t {
  garbage,        // bytes that are no frame, in place of the frame
  unknown_type,   // has an unknown type
  other_type,     // has the type of a hello
  oversized,      // claims 4 GiB
  longer,         // 8 bytes are added
  shorter,        // has 8 bytes fewer
  truncated,      // cut in the middle, after which this direction ends
  swallowed,      // the last 8 bytes are missing, and the stream continues
  replayed,       // sent twice
  reordered,      // sent after the next frame, not counting frames that say that the role waits
  withheld,       // never sent
  other_word,     // one bit of the payload is flipped
  wrong_round,    // claims to be of the next round
  wrong_session,  // has the digest of another session
  half_closed,    // this direction ends in place of the frame
  flooded,        // ten thousand control frames are sent before the frame
  only_words,     // from this frame on, the role sends only frames that say that it waits in this round
};

class FrameCutter {
 public:
  struct Frame {
    FrameHeader header;
    std::vector<std::byte> bytes;  // the whole frame, with its header
  };

  void put(std::span<const std::byte> bytes) { held_.insert(held_.end(), bytes.begin(), bytes.end()); }
  std::optional<Frame> next() {
    FrameHeader header;
    if (held_.size() < FrameHeader::size || !read_header(std::span(held_).first<FrameHeader::size>(), header) ||
        held_.size() < FrameHeader::size + header.length) {
      return std::nullopt;
    }
    const auto end = held_.begin() + FrameHeader::size + header.length;
    Frame frame{header, {held_.begin(), end}};
    held_.erase(held_.begin(), end);
    return frame;
  }

 private:
  std::vector<std::byte> held_;
};

class Tamper {
 public:
  Tamper(Deviation deviation, FrameType type, std::uint64_t round)
      : deviation_(deviation), type_(type), round_(round) {}

  [[nodiscard]] bool ended() const { return ended_; }

  // Takes the next bytes that the role sends, and returns the bytes to send in their place.
  std::vector<std::byte> put(std::span<const std::byte> bytes) {
    std::vector<std::byte> out;
    cutter_.put(bytes);
    while (auto next = cutter_.next()) {
      auto& [header, frame] = *next;
      if (ended_) continue;
      if (struck_ && deviation_ == Deviation::only_words) {
        if (header.type != FrameType::waiting) continue;
        header.round = round_;
        set_header(frame, header);
      }
      if (!struck_ && header.type == type_ && header.round == round_) {
        struck_ = true;
        strike(header, std::move(frame), out);
      } else {
        append(out, frame);
        // On a slow machine, a frame that says that the role waits may come before any other frame.
        if (header.type != FrameType::waiting) append(out, std::exchange(late_, {}));
      }
    }
    return out;
  }

 private:
  using Frame = std::vector<std::byte>;

  static void append(Frame& to, std::span<const std::byte> bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }
  static void set_header(Frame& frame, const FrameHeader& header) {
    write_header(header, std::span(frame).first<FrameHeader::size>());
  }

  void strike(FrameHeader header, Frame frame, Frame& out) {
    switch (deviation_) {
      case Deviation::garbage:
        std::fill(frame.begin(), frame.end(), std::byte{0xee});
        break;
      case Deviation::unknown_type:
        header.type = static_cast<FrameType>(77);
        set_header(frame, header);
        break;
      case Deviation::other_type:
        header.type = header.type == FrameType::hello ? FrameType::round : FrameType::hello;
        set_header(frame, header);
        break;
      case Deviation::oversized:
        header.length = 0xffffffff;
        set_header(frame, header);
        break;
      case Deviation::longer:
        header.length += 8;
        set_header(frame, header);
        frame.resize(frame.size() + 8);
        break;
      case Deviation::shorter:
        header.length -= 8;
        set_header(frame, header);
        frame.resize(frame.size() - 8);
        break;
      case Deviation::truncated:
        frame.resize(frame.size() - header.length / 2 - 1);
        ended_ = true;
        break;
      case Deviation::swallowed:
        frame.resize(frame.size() - 8);
        break;
      case Deviation::replayed:
        append(out, frame);
        break;
      case Deviation::reordered:
        late_ = std::move(frame);
        return;
      case Deviation::withheld:
      case Deviation::only_words:
        return;
      case Deviation::other_word:
        frame.at(FrameHeader::size) ^= std::byte{1};
        break;
      case Deviation::wrong_round:
        ++header.round;
        set_header(frame, header);
        break;
      case Deviation::wrong_session:
        header.digest ^= 0x5e55;
        set_header(frame, header);
        break;
      case Deviation::half_closed:
        ended_ = true;
        return;
      case Deviation::flooded: {
        Frame word(FrameHeader::size + 1, std::byte{0});
        set_header(word, {1, FrameType::waiting, header.round, 0});
        for (int i = 0; i < 10'000; ++i) append(out, word);
        break;
      }
    }
    append(out, frame);
  }

  Deviation deviation_;
  FrameType type_;
  std::uint64_t round_;
  FrameCutter cutter_;
  Frame late_;
  bool struck_ = false;
  bool ended_ = false;
};

class TamperedStream final : public net::ByteStream {
 public:
  TamperedStream(std::unique_ptr<ByteStream> inner, Tamper tamper)
      : inner_(std::move(inner)), tamper_(std::move(tamper)) {}

  Transfer read_some(std::span<std::byte> into) override { return inner_->read_some(into); }
  Transfer write_some(std::span<const std::byte> head, std::span<const std::byte> body) override {
    if (!push()) return {0, State::would_block};
    if (lost_) return {0, State::lost};
    keep(tamper_.put(head));
    keep(tamper_.put(body));
    (void)push();
    return {head.size() + body.size(), State::moved};
  }
  bool push() override {
    while (holds_output()) {
      const Transfer out = inner_->write_some(std::span(waiting_).subspan(sent_), {});
      if (out.state == State::would_block) return false;
      if (out.state != State::moved) {
        lost_ = true;
        waiting_.clear();
        sent_ = 0;
        return true;
      }
      sent_ += out.bytes;
    }
    waiting_.clear();
    sent_ = 0;
    if (tamper_.ended()) inner_->end_writing();
    return true;
  }
  [[nodiscard]] bool holds_output() const override { return sent_ < waiting_.size(); }
  [[nodiscard]] net::Waitable wait_for(bool reading, bool writing) const override {
    return inner_->wait_for(reading, writing || holds_output());
  }
  void end_writing() noexcept override { inner_->end_writing(); }
  void close() noexcept override { inner_->close(); }
  [[nodiscard]] std::string failure() const override { return inner_->failure(); }

 private:
  void keep(std::span<const std::byte> bytes) { waiting_.insert(waiting_.end(), bytes.begin(), bytes.end()); }

  std::unique_ptr<ByteStream> inner_;
  Tamper tamper_;
  std::vector<std::byte> waiting_;
  std::size_t sent_ = 0;
  bool lost_ = false;
};

}  // namespace sotto::testing
