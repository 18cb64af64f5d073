#include "apps/bandit/model/checkpoint_id.h"

#include <string>
#include <string_view>

#include "sotto/protocol/wire/coding.h"

namespace sotto::apps::bandit {
namespace {

net::Digest sha256_of(std::span<const std::byte> bytes) {
  return net::sha256(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace

CheckpointId checkpoint_id(const CheckpointPlace& place, const net::Digest& public_words) {
  ByteWriter writer;
  writer.text("sotto checkpoint");
  writer.bytes(place.before);
  writer.bytes(place.session);
  writer.number(place.epoch);
  writer.number(place.steps);
  writer.bytes(public_words);
  return sha256_of(writer.take());
}

net::Digest digest_of(std::span<const std::uint64_t> words) { return sha256_of(std::as_bytes(words)); }

}  // namespace sotto::apps::bandit
