#include <fmt/format.h>

#include <chrono>

#include "sotto/apps/kit/deploy/examine.h"
#include "sotto/apps/kit/deploy/own_checks.h"
#include "sotto/core/error/errors.h"
#include "sotto/net/star/client.h"
#include "sotto/net/star/service.h"
#include "sotto/net/transport/tls/identity.h"

namespace sotto::apps {
namespace {

// What a step of the role would end with is a finding.
template <class Try>
Finding tried(const std::string& subject, Try act) {
  try {
    return act();
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    return problem(subject, error.exit_code(), error.what());
  }
}

Finding service_key(const KeyArguments& key) {
  if (key.key.empty()) {
    return note("key", "none is given", "a service needs one; a client shows one that it makes and forgets");
  }
  return tried("key", [&] {
    return check_certificate(net::Identity::read(key.key).certificate(), std::chrono::system_clock::now());
  });
}

Finding own_port(const CommandRole& role) {
  ListenArguments arguments = *role.listen;
  if (arguments.listen.empty()) return note("listen", "no address is given", "give --listen unless it hears nobody");
  return tried("listen", [&] {
    (void)service_config(arguments, {{}, role.key->plaintext}, role.table);  // whom it trusts
    arguments.trust.clear();
    const net::Service service(service_config(arguments, {{}, true}, role.table));
    return good("listen", fmt::format("{} is free", service.address().text()));
  });
}

Finding reached(const ConnectArguments& arguments, const char* name, const KeyArguments& key,
                const Examination& examination) {
  if (arguments.connect.empty()) {
    return note(name, "no address is given", fmt::format("give {} if the role needs it", arguments.connect_flag));
  }
  return tried(name, [&] {
    net::ClientConfig config = client_config(arguments, key, name);
    config.retry_for = examination.wait;
    net::ServiceClient client(std::move(config));
    client.connect(examination.interrupted);
    (void)client.finish(net::Clock::now() + std::chrono::seconds(1), examination.interrupted);
    return good(name, fmt::format("{} answers", arguments.connect));
  });
}

}  // namespace

Findings examine_service(const CommandSettings& settings, const Examination& examination) {
  const CommandRole& role = *settings.command().role();
  Findings findings = check_security(settings);
  if (!role.key->plaintext) findings.push_back(service_key(*role.key));
  if (role.listen != nullptr) findings.push_back(own_port(role));
  for (const auto& [arguments, name] : role.services) {
    findings.push_back(reached(*arguments, name, *role.key, examination));
  }
  return findings;
}

}  // namespace sotto::apps
