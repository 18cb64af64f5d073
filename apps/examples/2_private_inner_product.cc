// Example 2: an inner product of two vectors in two processes, linked by TLS.
//
// The process that you start is party 0. It forks party 1, the dealer, who gives randomness and sees no message, and
// the actor, a node of every run that has nothing to do in this one. On machines of their own they would be started
// apart, each with a key that it made itself, and know each other's addresses and fingerprints.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <map>

#include "sotto/core/async/when_all.h"
#include "sotto/core/ring/fixed_point.h"
#include "sotto/net/mesh/run_program.h"
#include "sotto/net/mesh/wrap.h"
#include "sotto/protocols/arithmetic/product.h"
#include "sotto/protocols/io/open.h"
#include "sotto/protocols/io/share_input.h"

using namespace sotto;
using namespace sotto::protocols;

constexpr unsigned fraction_bits = 16;
constexpr double vectors[2][3] = {{0.5, -1.25, 2}, {4, 0.5, 1.5}};  // a file each, in real life

static Task<Masked> share_vector(Party& party, NodeId owner) {
  const auto fill = [owner](std::span<std::uint64_t> words) {  // runs at the owner alone
    for (std::size_t i = 0; i < 3; ++i) words[i] = encode(vectors[owner][i], fraction_bits);
  };
  Input input = input_at(party, owner, Shape{1, 3}, fraction_bits, fill);
  co_return co_await share_input(party, owner, std::move(input), "vector");
}

// The program, the same at every role.
static Task<Public> inner_product(Party& party) {
  auto [x, y] = co_await when_all(share_vector(party, 0), share_vector(party, 1));
  co_return co_await open(party, row_dot(party, x, y), "inner product");
}

static void run_role(net::Mesh& mesh) {
  const auto run = net::run_program(mesh, inner_product);
  if (!run.result) return;                        // the dealer
  run.result->if_known([&](const Words& words) {  // the parties have it, the actor does not
    const double result = decode(words[0], 2 * fraction_bits);
    std::printf("party %d, process %d: inner product %g in %d rounds\n", mesh.self(), getpid(), result,
                int(run.node.rounds));
    if (result != 4.375) throw std::runtime_error("it should be 4.375");
  });
}

int main() {
  const Topology topology(2);
  std::map<NodeId, net::Address> addresses;
  std::map<NodeId, int> sockets;
  std::map<NodeId, net::Identity> identities;  // a key a role
  std::map<NodeId, std::string> fingerprints;  // what each knows of the others
  for (const NodeId role : {NodeId{0}, NodeId{1}, topology.outside_node(), net::dealer_id}) {
    net::Identity identity = net::Identity::create(net::peer_name(topology, role));
    fingerprints[role] = identity.fingerprint();
    identities.emplace(role, std::move(identity));
  }
  for (const NodeId role : {NodeId{0}, NodeId{1}, net::dealer_id}) {  // the actor only connects
    net::TcpListener listener(net::Address{"127.0.0.1", 0});          // any free port
    addresses[role] = listener.address();
    sockets[role] = listener.release();
  }
  const auto run = [&](NodeId role) {
    net::MeshConfig config{topology, role, net::SessionId{}, "lanes = 3\n", ""};
    config.addresses = addresses;
    config.certificates = fingerprints;
    config.wrap = net::encrypt_links(identities.at(role), fingerprints);
    if (sockets.count(role) != 0) config.listener.emplace(sockets[role]);
    // Connects to the others, checks who they are, and compares the parameters.
    net::Mesh mesh = net::set_up_mesh(std::move(config));
    run_role(mesh);
    return std::fflush(stdout);
  };
  for (const NodeId role : {NodeId{1}, topology.outside_node(), net::dealer_id}) {
    if (fork() == 0) _exit(run(role));
  }
  int failed = run(0);
  for (int status = 0; wait(&status) > 0;) failed |= status;
  return failed != 0;
}
