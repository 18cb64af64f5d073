// What the relay does on a link of real roles without TLS, whose frames it can read.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "sotto/core/wire/frame.h"
#include "tests/faults/tamper.h"
#include "tests/relay/filter.h"

namespace sotto::testing {

// Calls `act` when the frame of this type and round has come, before it goes on.
class AtFrame final : public RelayFilter {
 public:
  AtFrame(FrameType type, std::uint64_t round, std::function<void()> act)
      : type_(type), round_(round), act_(std::move(act)) {}

  RelayBytes put(std::span<const std::byte> bytes) override {
    RelayBytes out;
    cutter_.put(bytes);
    while (const auto frame = cutter_.next()) {
      if (act_ && frame->header.type == type_ && frame->header.round == round_) std::exchange(act_, {})();
      out.insert(out.end(), frame->bytes.begin(), frame->bytes.end());
    }
    return out;
  }

 private:
  FrameType type_;
  std::uint64_t round_;
  std::function<void()> act_;
  FrameCutter cutter_;
};

// Calls `act` when so many bytes have come, whatever they mean.
class AtByte final : public RelayFilter {
 public:
  AtByte(std::size_t at, std::function<void()> act) : left_(at), act_(std::move(act)) {}
  RelayBytes put(std::span<const std::byte> bytes) override {
    left_ -= std::min(left_, bytes.size());
    if (left_ == 0 && act_) std::exchange(act_, {})();
    return {bytes.begin(), bytes.end()};
  }

 private:
  std::size_t left_;
  std::function<void()> act_;
};

// Does to a frame on its way what a role that deviates does to it.
class TamperFilter final : public RelayFilter {
 public:
  explicit TamperFilter(Tamper tamper) : tamper_(std::move(tamper)) {}
  RelayBytes put(std::span<const std::byte> bytes) override { return tamper_.put(bytes); }
  [[nodiscard]] bool ended() const override { return tamper_.ended(); }

 private:
  Tamper tamper_;
};

}  // namespace sotto::testing
