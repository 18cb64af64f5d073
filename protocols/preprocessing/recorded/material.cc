#include "protocols/preprocessing/recorded/material.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "sotto/protocol/wire/coding.h"

namespace sotto::protocols {
namespace {

void describe_value(auto& value, auto&& field, const WordPieces*) {
  field(value.lanes);
  field(value.bits);
  field(value.own);
  field(value.next);
}
void describe_value(auto& value, auto&& field, const InputPieces*) {
  field(value.mask);
  field(value.known);
}
void describe_value(auto& value, auto&& field, const TruncationMasks*) {
  field(value.r);
  field(value.mu);
  field(value.h);
}
void describe_value(auto& value, auto&& field, const TruncationPart*) {
  field(value.group);
  field(value.first);
  field(value.lanes);
}
void describe_value(auto& value, auto&& field, const Additive*) { field(value.words); }

void describe_value(auto& value, auto&& field, const TableShares*) {
  field(value.bits);
  field(value.words);
}

template <class T>
concept HasDescription = requires(T& value) {
  describe_value(
      value, [](auto&) {}, &value);
};

struct Count {
  std::size_t bytes = 0;

  template <class T>
  void operator()(const PoolVector<T>& list) {
    bytes += sizeof(std::uint64_t);
    if constexpr (HasDescription<const T>) {
      for (const T& value : list) (*this)(value);
    } else {
      bytes += list.size() * sizeof(std::uint64_t);
    }
  }
  void operator()(std::uint64_t) { bytes += sizeof(std::uint64_t); }
  template <HasDescription T>
  void operator()(const T& value) {
    describe_value(value, *this, &value);
  }
};

struct Write {
  ByteWriter& to;

  template <class T>
  void operator()(const PoolVector<T>& list) {
    if constexpr (HasDescription<const T>) {
      to.number(std::uint64_t{list.size()});
      for (const T& value : list) (*this)(value);
    } else {
      to.numbers(std::span<const std::uint64_t>(list));
    }
  }
  void operator()(std::uint64_t number) { to.number(number); }
  template <HasDescription T>
  void operator()(const T& value) {
    describe_value(value, *this, &value);
  }
};

template <class T>
std::size_t least_bytes() {
  Count count;
  const T none{};
  count(none);
  return count.bytes;
}

struct Read {
  ByteReader& from;
  bool fits = true;

  template <class T>
  void operator()(PoolVector<T>& list) {
    if constexpr (HasDescription<T>) {
      list.resize(from.length(least_bytes<T>()));
      for (T& value : list) {
        (*this)(value);
        if (!from.ok()) return;
      }
    } else {
      list.resize(from.length(sizeof(std::uint64_t)));
      const auto words = from.bytes(list.size() * sizeof(std::uint64_t));
      if (!words.empty()) std::memcpy(list.data(), words.data(), words.size());
    }
  }
  void operator()(std::uint64_t& number) { number = from.number<std::uint64_t>(); }
  void operator()(unsigned& number) {
    const auto word = from.number<std::uint64_t>();
    fits = fits && word <= 64;
    number = static_cast<unsigned>(word);
  }
  template <HasDescription T>
  void operator()(T& value) {
    describe_value(value, *this, &value);
  }
};

bool holds(const WordPieces& value) { return value.own.empty() || value.own.size() == value.lanes; }

bool parts_fit(const RecordedMaterial& material) {
  const auto& groups = material.truncation_groups;
  return std::all_of(groups.begin(), groups.end(),
                     [](const TruncationMasks& group) {
                       return holds(group.r) && holds(group.mu) && holds(group.h) && group.r.lanes == group.mu.lanes &&
                              group.h.lanes == group.mu.lanes;
                     }) &&
         std::all_of(material.truncations.begin(), material.truncations.end(), [&](const TruncationPart& part) {
           if (part.group >= groups.size()) return false;
           const std::size_t lanes = groups[part.group].mu.lanes;
           return part.first <= lanes && part.lanes <= lanes - part.first;
         });
}

}  // namespace

std::vector<std::byte> encode(const RecordedMaterial& material) {
  Count count;
  RecordedMaterial::describe(material, count);
  ByteWriter writer(count.bytes);
  RecordedMaterial::describe(material, Write{writer});
  return writer.take();
}

std::optional<RecordedMaterial> decode_material(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  RecordedMaterial material;
  Read read{reader};
  RecordedMaterial::describe(material, read);
  if (!reader.at_end() || !read.fits || !parts_fit(material)) return std::nullopt;
  return material;
}

}  // namespace sotto::protocols
