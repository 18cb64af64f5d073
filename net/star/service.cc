#include "sotto/net/star/service.h"

#include <utility>

#include "sotto/net/star/service_loop.h"

namespace sotto::net {

Service::Service(ServiceConfig config) : loop_(std::make_unique<Loop>(nullptr, std::move(config))) {}
Service::Service(Io& io, ServiceConfig config) : loop_(std::make_unique<Loop>(&io, std::move(config))) {}
Service::~Service() = default;

Address Service::address() const { return loop_->address(); }

void Service::run(ServiceHandler& handler, const std::atomic<bool>& interrupted) { loop_->run(handler, interrupted); }

void Service::send(PeerId peer, Message message) { loop_->send(peer, std::move(message)); }

void Service::send(PeerId peer, std::shared_ptr<const Message> message) { loop_->send(peer, std::move(message)); }

void Service::drop(PeerId peer, const std::string& why) { loop_->drop(peer, why); }

std::size_t Service::queued(PeerId peer) const {
  const Loop::Connection* const found = loop_->find(peer);
  return found == nullptr ? 0 : found->link.queued();
}

std::string Service::fingerprint(PeerId peer) const {
  const Loop::Connection* const found = loop_->find(peer);
  return found == nullptr ? "" : found->link.peer_fingerprint();
}

std::string Service::from(PeerId peer) const {
  const Loop::Connection* const found = loop_->find(peer);
  return found == nullptr ? "" : found->from;
}

std::size_t Service::clients() const { return loop_->clients(); }

}  // namespace sotto::net
