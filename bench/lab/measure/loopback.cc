#include "sotto/bench/lab/measure/loopback.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "sotto/core/error/errors.h"
#include "sotto/net/transport/descriptor_stream.h"

namespace sotto::apps {
namespace {

int checked(int result) {
  if (result < 0) {
    throw ResourceError(
        fmt::format("no TCP connection on loopback can be made: {}; see ulimit -n", std::strerror(errno)));
  }
  return result;
}

Descriptor new_socket() { return Descriptor(checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))); }

}  // namespace

std::pair<Descriptor, Descriptor> loopback_pair() {
  const Descriptor listener = new_socket();
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  checked(::bind(listener.get(), generic, size));
  checked(::listen(listener.get(), 1));
  checked(::getsockname(listener.get(), generic, &size));
  std::pair<Descriptor, Descriptor> pair{new_socket(), Descriptor()};
  checked(::connect(pair.first.get(), generic, size));
  pair.second = Descriptor(checked(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC)));
  net::tune_for_frames(pair.first.get());
  net::tune_for_frames(pair.second.get());
  return pair;
}

LoopbackMesh::LoopbackMesh(std::size_t nodes) : nodes_(nodes), sockets_(nodes * nodes) {
  for (std::size_t i = 0; i < nodes; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      auto [mine, theirs] = loopback_pair();
      sockets_[i * nodes + j] = std::move(mine);
      sockets_[j * nodes + i] = std::move(theirs);
    }
  }
}

}  // namespace sotto::apps
