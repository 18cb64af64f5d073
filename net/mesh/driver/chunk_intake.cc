#include "sotto/protocol/mesh/driver/chunk_intake.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/text/count.h"
#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::net {
namespace {

std::uint64_t physical_memory() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

ChunkIntake::ChunkIntake(Mesh& mesh, Watch& watch, const DriverOptions& options)
    : dealer_(mesh.link(dealer_id)),
      dealer_bit_(bit_of_dealer(mesh)),
      watch_(watch),
      epoch_(epoch_digest(mesh.session(), options.epoch)),
      planned_(options.planned_dealt_bytes),
      largest_(options.largest_chunk) {}

bool ChunkIntake::is_kept(const FrameHeader& header, std::uint64_t number) const noexcept {
  return header.type == FrameType::chunk && header.round < number && header.round == next_kept_ &&
         next_kept_ < end_kept_;
}

void ChunkIntake::check_chunk(const FrameHeader& header, std::uint64_t number) const {
  if (header.type != FrameType::chunk || header.digest != epoch_) {
    throw ProtocolError(ProtocolError::Kind::unexpected, dealer_.name(), number,
                        fmt::format("the dealer sent a frame that is no chunk of this run in round {}", number));
  }
  if (header.round != number && !is_kept(header, number)) {
    throw ProtocolError(ProtocolError::Kind::wrong_round, dealer_.name(), number,
                        fmt::format("the dealer sent chunk {} in round {}: no correction may be used twice or left out",
                                    header.round, number));
  }
  if (FrameHeader::size + std::uint64_t{header.length} > largest_) {
    throw ProtocolError(ProtocolError::Kind::oversized, dealer_.name(), number,
                        fmt::format("the dealer sent a chunk of {} in round {}, and the largest of this run has {}: it "
                                    "runs another program, or another version",
                                    counted(header.length, "byte"), number, largest_ - FrameHeader::size));
  }
}

LinkSet ChunkIntake::poll(std::uint64_t number, bool* ended) {
  if (aside_.contains(number)) return 0;
  for (;;) {
    const auto header = dealer_.next();
    if (!header) {
      if (ended != nullptr && dealer_.finished()) {
        *ended = true;
        return 0;
      }
      if (dealer_.closed()) watch_.lost(dealer_, number);
      if (dealer_.finished()) {
        throw ProtocolError(
            ProtocolError::Kind::truncated, dealer_.name(), number,
            fmt::format("the dealer stopped before round {}: it runs another program or another version", number));
      }
      watch_.check_not_passed(dealer_, number);
      return dealer_bit_;
    }
    check_chunk(*header, number);
    length_ = header->length;
    if (!dealer_.receive(length_)) {
      if (dealer_.closed()) watch_.lost(dealer_, number);
      return dealer_bit_;
    }
    if (header->round == next_kept_ && next_kept_ < end_kept_) ++next_kept_;
    if (header->round == number) return 0;
    const auto chunk = dealer_.payload(length_);
    Bytes& kept = aside_.emplace(header->round, Bytes(chunk.size())).first->second;
    std::copy(chunk.begin(), chunk.end(), kept.begin());
    bytes_ += FrameHeader::size + length_;
    dealer_.consume(length_);
  }
}

void ChunkIntake::keep(std::uint64_t first, std::uint64_t end) {
  if (next_kept_ < end_kept_ || !aside_.empty()) throw std::logic_error("two concurrent programs");
  next_kept_ = first;
  end_kept_ = end;
}

std::span<const std::byte> ChunkIntake::at_hand(std::uint64_t number) {
  if (auto kept = aside_.extract(number)) return from_aside_.emplace(std::move(kept.mapped()));
  bytes_ += FrameHeader::size + length_;
  return dealer_.payload(length_);
}

std::optional<std::span<const std::byte>> ChunkIntake::take_now(std::uint64_t number) {
  if (poll(number) != 0) return std::nullopt;
  return at_hand(number);
}

std::span<const std::byte> ChunkIntake::take(std::uint64_t number, double& seconds) {
  if (ahead_) {
    if (number >= ends_.size()) {
      throw ProtocolError(ProtocolError::Kind::truncated, dealer_.name(), number,
                          fmt::format("the dealer stopped before round {}", number));
    }
    const std::size_t begin = number == 0 ? 0 : ends_[number - 1];
    return std::span(store_).subspan(begin, ends_[number] - begin);
  }
  seconds += watch_.until(number, [&](bool) { return poll(number); });
  return at_hand(number);
}

void ChunkIntake::bring_near(std::uint64_t number) const {
  if (!ahead_ || number >= ends_.size()) return;
  constexpr std::size_t line = 64;
  constexpr std::size_t most = 64 * 1024;  // fits into the second-level cache
  const std::size_t begin = number == 0 ? 0 : ends_[number - 1];
  const std::size_t end = std::min(ends_[number], begin + most);
  for (std::size_t i = begin; i < end; i += line) __builtin_prefetch(store_.data() + i, 0, 2);
}

void ChunkIntake::release() {
  if (from_aside_) {
    from_aside_.reset();
  } else if (!ahead_) {
    dealer_.consume(length_);
  }
}

void ChunkIntake::take_all() {
  if (planned_ == 0) throw std::invalid_argument("deal_ahead needs the planned bytes");
  const std::uint64_t half = physical_memory() / 2;
  if (planned_ > half) {
    throw ResourceError(
        fmt::format("--deal-ahead would hold {:.1f} GB of corrections, more than half of this machine's memory ({:.1f} "
                    "GB): run fewer steps, or without --deal-ahead",
                    static_cast<double>(planned_) / 1e9, static_cast<double>(2 * half) / 1e9));
  }
  store_.reserve(planned_);
  ask_for_huge_pages(store_.data(), planned_);
  for (std::uint64_t number = 0;; ++number) {
    bool done = false;
    watch_.until(number, [&](bool) { return poll(number, &done); });
    if (done) break;
    bytes_ += FrameHeader::size + length_;
    if (bytes_ > planned_) {
      throw ProtocolError(ProtocolError::Kind::oversized, dealer_.name(), number,
                          fmt::format("the dealer sent more than the {} bytes that were planned", planned_));
    }
    const auto chunk = dealer_.payload(length_);
    store_.insert(store_.end(), chunk.begin(), chunk.end());
    ends_.push_back(store_.size());
    dealer_.consume(length_);
    watch_.pass(number);
  }
  ahead_ = true;
}

}  // namespace sotto::net
