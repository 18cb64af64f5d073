#include "sotto/net/transport/memory/pair.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "sotto/core/error/errors.h"
#include "sotto/net/transport/descriptor_stream.h"

namespace sotto::net {

std::pair<std::unique_ptr<ByteStream>, std::unique_ptr<ByteStream>> make_stream_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw ResourceError(fmt::format("no socket pair: {}; close programs or raise ulimit -n", std::strerror(errno)));
  }
  auto first = std::make_unique<DescriptorStream>(ends[0]);
  auto second = std::make_unique<DescriptorStream>(ends[1]);
  return {std::move(first), std::move(second)};
}

}  // namespace sotto::net
