// Another project's program, which uses an installed sotto only by its public headers. The program runs a protocol in
// one process, then between roles over TLS, and catches an error of the library.
#include <cstdio>
#include <future>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "sotto/protocol.h"

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

bool is_right(const Public& result) {
  bool right = false;
  result.if_known([&](const Words& words) { right = words[0] == 1 * 11 + 2 * 12 + 3 * 13; });
  return right;
}

bool protocols_work() {
  const auto run = protocols::simulate(Topology(2), inner_product);
  return is_right(run.nodes[1]) && run.rounds == 2;
}

bool net_works() {
  const Topology topology(2);
  const std::vector<NodeId> roles{0, 1, topology.outside_node(), net::dealer_id};
  std::map<NodeId, net::Identity> identities;
  std::map<NodeId, std::string> certificates;
  std::map<NodeId, net::TcpListener> listeners;
  std::map<NodeId, net::Address> addresses;
  for (const NodeId role : roles) {
    const auto own = identities.emplace(role, net::Identity::create(net::peer_name(topology, role))).first;
    certificates[role] = own->second.fingerprint();
    if (net::listens(topology, role)) {
      addresses[role] = listeners.emplace(role, net::Address{"127.0.0.1", 0}).first->second.address();
    }
  }
  const auto play = [&](NodeId role) {
    net::MeshConfig config{topology, role, net::SessionId{}, "inner product", ""};
    config.certificates = certificates;
    for (const auto& [peer, address] : addresses) {
      if (net::connects_to(topology, role, peer)) config.addresses[peer] = address;
    }
    if (net::listens(topology, role)) config.listener.emplace(std::move(listeners.at(role)));
    config.wrap = net::encrypt_links(identities.at(role), certificates);
    net::Mesh mesh = net::set_up_mesh(std::move(config));
    const auto run = net::run_program(mesh, inner_product);
    return !topology.is_party(role) || (is_right(*run.result) && run.node.rounds == 2);
  };
  std::vector<std::future<bool>> ends;
  for (const NodeId role : roles) ends.push_back(std::async(std::launch::async, play, role));
  bool right = true;
  for (std::future<bool>& end : ends) right = end.get() && right;
  return right;
}

bool errors_have_exit_codes() {
  try {
    static_cast<void>(net::Identity::read("no/such/key.pem"));
    return false;
  } catch (const Error& error) {
    return error.exit_code() == ExitCode::usage && dynamic_cast<const InputError*>(&error) != nullptr;
  }
}

bool refusals_are_those_of_the_standard() {
  try {
    static_cast<void>(Topology(9));
    return false;
  } catch (const std::invalid_argument&) {
    return true;
  }
}

}  // namespace

int main() {
  const bool right =
      protocols_work() && net_works() && errors_have_exit_codes() && refusals_are_those_of_the_standard();
  std::puts(right ? "the installed sotto works" : "the installed sotto does not work");
  return right ? 0 : 1;
}
