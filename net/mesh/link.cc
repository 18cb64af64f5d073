#include "sotto/protocol/mesh/link.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "core/text/count.h"

namespace sotto::net {
namespace {

constexpr std::size_t first_buffer = 1024;  // small, because each unauthenticated peer may have a buffer
constexpr std::size_t buffer_of_run = 64 * 1024;
constexpr int most_control_frames = 256;   // read in one call
constexpr std::size_t most_messages = 64;  // that are put aside

// The posted bytes may include a seed.
void drop(std::vector<std::byte>& posted) noexcept {
  OPENSSL_cleanse(posted.data(), posted.size());
  posted.clear();
}

}  // namespace

Link::Link(NodeId peer, const Topology& topology, std::unique_ptr<ByteStream> stream)
    : peer_(peer),
      topology_(topology),
      name_(peer_name(topology, peer)),
      stream_(std::move(stream)),
      buffer_(first_buffer) {}

void Link::identify(NodeId peer) {
  peer_ = peer;
  name_ = peer_name(topology_, peer);
}

void Link::begin_run() {
  data_bytes_sent_ = data_frames_sent_ = 0;
  buffer_.resize(std::max(buffer_.size(), buffer_of_run));
}

void Link::send(std::span<const std::byte> head, std::span<const std::byte> body) {
  if (!head_left_.empty() || !body_left_.empty()) {
    throw std::logic_error("a data frame is sent while another is on its way");
  }
  if (head.size() > head_.size()) throw std::logic_error("a frame's head is longer than a header");
  if (write_lost_) return;
  std::copy(head.begin(), head.end(), head_.begin());
  head_left_ = std::span(head_).first(head.size());
  body_left_ = body;
  ++data_frames_sent_;
  data_bytes_sent_ += head.size() + body.size();
}

void Link::post(FrameType type, std::uint64_t round, std::span<const std::byte> payload) {
  if (write_lost_) return;
  const std::size_t at = posted_.size();
  const std::size_t size = at + FrameHeader::size + payload.size();
  if (size > posted_.capacity()) {
    std::vector<std::byte> larger;
    larger.reserve(2 * size);
    larger = posted_;
    posted_.swap(larger);
    drop(larger);
  }
  posted_.resize(size);
  const FrameHeader header{static_cast<std::uint32_t>(payload.size()), type, round, 0};
  write_header(header, std::span(posted_).subspan(at).first<FrameHeader::size>());
  std::copy(payload.begin(), payload.end(), posted_.begin() + static_cast<std::ptrdiff_t>(at + FrameHeader::size));
}

bool Link::sending() const noexcept {
  return !write_lost_ && (!head_left_.empty() || !body_left_.empty() || !posted_.empty() || stream_->holds_output());
}

bool Link::flush() {
  while (sending()) {
    if (head_left_.empty() && body_left_.empty() && posted_.empty()) return stream_->push();
    const bool data = in_data_frame_ || posted_.empty();
    const std::span<const std::byte> none;
    const ByteStream::Transfer out =
        data ? stream_->write_some(head_left_, body_left_)
             : stream_->write_some(std::span<const std::byte>(posted_).subspan(posted_out_), none);
    if (out.state == ByteStream::State::would_block) return false;
    if (out.state != ByteStream::State::moved) {
      // This role still reads, because the peer may have sent the reason for closing the link.
      write_lost_ = true;
      head_left_ = body_left_ = none;
      drop(posted_);
      return true;
    }
    if (data) {
      const std::size_t of_head = std::min(out.bytes, head_left_.size());
      head_left_ = head_left_.subspan(of_head);
      body_left_ = body_left_.subspan(out.bytes - of_head);
      in_data_frame_ = !head_left_.empty() || !body_left_.empty();
    } else if (posted_out_ += out.bytes; posted_out_ == posted_.size()) {
      drop(posted_);
      posted_out_ = 0;
    }
  }
  return true;
}

// Returns false if the stream has no more bytes now.
bool Link::fill(std::size_t wanted) {
  while (held() < wanted && !closed_ && !read_all_) {
    if (begin_ == end_) begin_ = end_ = 0;
    if (begin_ + wanted > buffer_.size() && begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, held());
      end_ -= begin_;
      begin_ = 0;
    }
    if (end_ == buffer_.size()) buffer_.resize(std::min(wanted, 2 * buffer_.size()));
    const ByteStream::Transfer in = stream_->read_some(std::span(buffer_).subspan(end_));
    if (in.state == ByteStream::State::would_block) return false;
    if (in.state != ByteStream::State::moved) {
      closed_ = true;
      write_lost_ = write_lost_ || in.state == ByteStream::State::lost;
      break;
    }
    end_ += in.bytes;
    read_all_ = in.is_last;
    sign_of_life_ = true;
  }
  return held() >= wanted;
}

ProtocolError Link::violation(ProtocolError::Kind kind, std::uint64_t round, const std::string& what) const {
  return ProtocolError(kind, name_, round,
                       fmt::format("{} sent {}: it is no sotto role, or the link is damaged", name_, what));
}

std::optional<FrameHeader> Link::next() {
  holds_data_ = read_all_ = false;
  for (int frames = 0; frames < most_control_frames; ++frames) {
    holds_unseen_ = false;
    if (!fill(FrameHeader::size)) break;
    FrameHeader header;
    if (!read_header(std::span(buffer_).subspan(begin_).first<FrameHeader::size>(), header)) {
      throw violation(ProtocolError::Kind::malformed, 0, "bytes that are no frame");
    }
    if (finished_ && header.type != FrameType::failed && header.type != FrameType::waiting) {
      throw violation(ProtocolError::Kind::unexpected, header.round, "a frame after its last");
    }
    switch (header.type) {
      case FrameType::round:
      case FrameType::chunk:
      case FrameType::hello:
      case FrameType::confirm:
      case FrameType::seed:
      case FrameType::probe:
        holds_data_ = true;
        return header;
      case FrameType::ready:
      case FrameType::failed:
      case FrameType::finish:
      case FrameType::waiting:
      case FrameType::message:
        break;
      default:
        throw violation(ProtocolError::Kind::malformed, 0,
                        fmt::format("a frame of the unknown type {}", static_cast<unsigned>(header.type)));
    }
    const bool message = header.type == FrameType::message;
    if (header.length > (message ? longest_message_ : longest_control)) {
      throw violation(ProtocolError::Kind::oversized, header.round,
                      fmt::format("a {} of {}", message ? "message" : "control frame", counted(header.length, "byte")));
    }
    if (!fill(FrameHeader::size + header.length)) break;
    if (message) {
      put_aside(header);
    } else {
      handle_control(header);
    }
    consume(header.length);
  }
  return std::nullopt;
}

void Link::put_aside(const FrameHeader& header) {
  if (longest_message_ == 0) throw violation(ProtocolError::Kind::unexpected, header.round, "a message");
  if (messages_.size() == most_messages) {
    throw violation(ProtocolError::Kind::oversized, header.round,
                    fmt::format("more than {} that nobody has read", counted(most_messages, "message")));
  }
  const std::span<const std::byte> bytes = payload(header.length);
  messages_.emplace_back(bytes.begin(), bytes.end());
}

std::optional<std::vector<std::byte>> Link::take_message() {
  if (messages_.empty()) return std::nullopt;
  std::vector<std::byte> oldest = std::move(messages_.front());
  messages_.pop_front();
  return oldest;
}

void Link::handle_control(const FrameHeader& header) {
  const std::span<const std::byte> bytes = payload(header.length);
  switch (header.type) {
    case FrameType::ready:
      ready_ = true;
      // Before the ready frame, announced_round_ is the number of chunks that the last party had received.
      announced_round_ = 0;
      break;
    case FrameType::finish:
      finished_ = true;
      break;
    case FrameType::waiting:
      waits_for_ = bytes.empty() ? nobody : static_cast<NodeId>(bytes[0]);
      announced_round_ = header.round;
      break;
    default: {
      std::optional<Failure> failure = decode_failure(bytes, header.round);
      if (!failure) throw violation(ProtocolError::Kind::malformed, header.round, "a malformed failure");
      consume(header.length);  // reported only once
      told_failure_ = true;
      const std::string reporter = peer_name(topology_, failure->reporter);
      const std::optional<NodeId> relayed_by = failure->reporter == peer_ ? std::nullopt : std::optional(peer_);
      throw RemoteFailure(std::move(*failure), reporter, relayed_by);
    }
  }
}

bool Link::receive(std::size_t length) {
  read_all_ = false;
  return fill(FrameHeader::size + length);
}

std::span<const std::byte> Link::payload(std::size_t length) const {
  return std::span(buffer_).subspan(begin_ + FrameHeader::size, length);
}

void Link::wipe(std::size_t length) {
  OPENSSL_cleanse(buffer_.data() + begin_ + FrameHeader::size, length);
  consume(length);
}

void Link::consume(std::size_t length) {
  begin_ += FrameHeader::size + length;
  holds_data_ = false;
  holds_unseen_ = held() > 0;
}

void Link::look_for_failure() {
  read_all_ = false;
  for (;;) {
    while (skip_ > 0) {
      if (held() == 0 && !fill(1)) return;
      const std::size_t dropped = std::min(skip_, held());
      begin_ += dropped;
      skip_ -= dropped;
    }
    const std::optional<FrameHeader> header = next();
    if (!header) return;
    skip_ = FrameHeader::size + std::size_t{header->length};
  }
}

std::string Link::loss() const {
  if (write_lost_) return stream_->failure();
  return held() > 0 ? "it closed the link in the middle of a frame" : "it closed the link without a word";
}

bool Link::take_sign_of_life() noexcept {
  const bool sign = sign_of_life_;
  sign_of_life_ = false;
  return sign;
}

Waitable Link::wait_for(bool reading) const {
  Waitable wanted = stream_->wait_for(reading && !closed_, sending());
  if (reading && holds_unseen_) wanted.ready_at = Clock::time_point{};
  return wanted;
}

void Link::close() noexcept {
  closed_ = write_lost_ = true;
  head_left_ = body_left_ = {};
  drop(posted_);
  stream_->close();
}

}  // namespace sotto::net
