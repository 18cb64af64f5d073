#include "sotto/protocol/wire/frame.h"

#include <bit>
#include <cstring>

namespace sotto {
namespace {

static_assert(std::endian::native == std::endian::little, "the wire format is written for little-endian machines");

template <class T>
void store(std::byte* out, T value) {
  std::memcpy(out, &value, sizeof value);
}

template <class T>
T load(const std::byte* in) {
  T value;
  std::memcpy(&value, in, sizeof value);
  return value;
}

}  // namespace

void write_header(const FrameHeader& header, std::span<std::byte, FrameHeader::size> out) {
  store(out.data(), header.length);
  store(out.data() + 4, static_cast<std::uint16_t>(header.type));
  store(out.data() + 6, std::uint16_t{0});
  store(out.data() + 8, header.round);
  store(out.data() + 16, header.digest);
}

bool read_header(std::span<const std::byte, FrameHeader::size> in, FrameHeader& header) {
  header.length = load<std::uint32_t>(in.data());
  header.type = static_cast<FrameType>(load<std::uint16_t>(in.data() + 4));
  header.round = load<std::uint64_t>(in.data() + 8);
  header.digest = load<std::uint64_t>(in.data() + 16);
  return load<std::uint16_t>(in.data() + 6) == 0;
}

}  // namespace sotto
