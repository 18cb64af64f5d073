// Requests of one kind, which are made as one: lane after lane, in their order.
#pragma once

#include <cstddef>

#include "sotto/protocol/async/pool.h"

namespace sotto::protocols {

struct RequestKind {
  PoolVector<std::size_t> numbers;  // of the requests
  PoolVector<std::size_t> first;    // the first lane of each
  std::size_t lanes = 0;            // of all
};

// alike(a, b) tells the kinds, lanes_of(request) the sizes.
template <class Requests, class Alike, class LanesOf>
[[nodiscard]] PoolVector<RequestKind> kinds_of(const Requests& requests, Alike&& alike, LanesOf&& lanes_of) {
  PoolVector<RequestKind> kinds;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    std::size_t g = 0;
    while (g < kinds.size() && !alike(requests[kinds[g].numbers[0]], requests[i])) ++g;
    if (g == kinds.size()) kinds.push_back({});
    kinds[g].numbers.push_back(i);
    kinds[g].first.push_back(kinds[g].lanes);
    kinds[g].lanes += lanes_of(requests[i]);
  }
  return kinds;
}

// part(request, its number, its kind, its first lane) for each request.
template <class Requests, class Part>
void for_each_request(const PoolVector<RequestKind>& kinds, const Requests& requests, Part&& part) {
  for (std::size_t g = 0; g < kinds.size(); ++g) {
    for (std::size_t i = 0; i < kinds[g].numbers.size(); ++i) {
      part(requests[kinds[g].numbers[i]], kinds[g].numbers[i], g, kinds[g].first[i]);
    }
  }
}

}  // namespace sotto::protocols
