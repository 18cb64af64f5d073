// Who gives way where more connect than there is room for.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace sotto::net {

// One at random of those whose network (TcpListener::Accepted) has the most connections: a flood from one address takes
// the places of that address, and where all come from one, each newcomer has the same chance to stay as all before it.
// `networks` has one entry a connection, and is not empty.
[[nodiscard]] std::size_t who_gives_way(std::span<const std::string_view> networks);

// How many connections of `wanted` this process can have: raises the limit of descriptors as far as it may, and leaves
// some to everything else.
[[nodiscard]] std::size_t connections_within_limit(std::size_t wanted) noexcept;

}  // namespace sotto::net
