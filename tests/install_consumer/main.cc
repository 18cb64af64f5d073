// What somebody else's program does with an installed sotto: runs a protocol with all parties in one process, moves a
// frame over a stream of net, and meets an error of core.
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "sotto/core/async/when_all.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/ring/kernels.h"
#include "sotto/net/mesh/handshake/hello.h"
#include "sotto/net/mesh/link.h"
#include "sotto/net/transport/descriptor_stream.h"
#include "sotto/protocols/arithmetic/product.h"
#include "sotto/protocols/io/open.h"
#include "sotto/protocols/io/share_input.h"
#include "sotto/protocols/simulate/simulate.h"

namespace {

using namespace sotto;

Task<Masked> share_vector(Party& party, NodeId owner) {
  const auto fill = [owner](std::span<std::uint64_t> words) {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = i + 1 + 10 * owner;
  };
  protocols::Input input = protocols::input_at(party, owner, Shape{1, 3}, 0, fill);
  co_return co_await protocols::share_input(party, owner, std::move(input), "vector");
}

Task<Public> inner_product(Party& party) {
  auto [x, y] = co_await when_all(share_vector(party, 0), share_vector(party, 1));
  co_return co_await protocols::open(party, protocols::row_dot(party, x, y), "inner product");
}

bool protocols_work() {
  const auto run = protocols::simulate(Topology(2), inner_product);
  bool right = false;
  run.nodes[1].if_known([&](const Words& words) { right = words[0] == 1 * 11 + 2 * 12 + 3 * 13; });
  return right && run.rounds == 2;
}

bool net_works() {
  const Topology topology(2);
  auto [here, there] = net::make_stream_pair();
  net::Link sender(1, topology, std::move(here));
  net::Link receiver(0, topology, std::move(there));
  sender.post(FrameType::ready, 0, {});
  while (!sender.flush()) continue;
  while (!receiver.ready()) (void)receiver.next();
  return net::encode(net::Hello{}).size() > FrameHeader::size;
}

bool errors_have_exit_codes() {
  try {
    throw InputError("a.csv:3:1", "not a number");
  } catch (const Error& error) {
    return error.exit_code() == ExitCode::usage;
  }
}

}  // namespace

int main() {
  const bool right = protocols_work() && net_works() && errors_have_exit_codes();
  std::puts(right ? "the installed sotto works" : "the installed sotto does not work");
  return right ? 0 : 1;
}
