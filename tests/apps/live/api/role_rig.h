#pragma once

#include "tests/apps/live/api/fakes.h"
#include "tests/apps/live/api/rig.h"

namespace sotto::apps::live::api_test {

template <class Service>
struct RoleRig {
  explicit RoleRig(const std::string& role) : service(rig.io) { rig.serve(service, role); }
  ApiRig rig;
  Service service;
};

template <class Check>
void at_each_role(Check check) {
  RoleRig<FakeActor> actor("actor");
  check(actor.rig, actor.service);
  RoleRig<FakeParty> party("party");
  check(party.rig, party.service);
  RoleRig<FakeRewarder> rewarder("rewarder");
  check(rewarder.rig, rewarder.service);
  RoleRig<FakeDealer> dealer("dealer");
  check(dealer.rig, dealer.service);
  RoleRig<FakeHelper> helper("helper");
  check(helper.rig, helper.service);
}

}  // namespace sotto::apps::live::api_test
