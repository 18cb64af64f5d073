#include "apps/kit/program/service_options.h"

#include <fmt/format.h>

#include <memory>

#include "apps/kit/program/command.h"
#include "apps/kit/program/option_values.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/transport/tls/identity.h"

namespace sotto::apps {
namespace {

constexpr const char* group = "Network";
constexpr const char* anyone = "anyone";

std::shared_ptr<const net::Identity> identity_of(const KeyArguments& arguments) {
  if (arguments.plaintext || arguments.key.empty()) return nullptr;
  return std::make_shared<const net::Identity>(net::Identity::read(arguments.key));
}

void refuse_trust_in_plaintext(const std::string& flag, bool given, const KeyArguments& key) {
  if (!given || !key.plaintext) return;
  throw InputError(flag, "--insecure-plaintext proves nobody's certificate: leave out one of both");
}

// Port 0 stands for any free port.
net::Address listen_address(const std::string& text) {
  if (!text.ends_with(":0")) return net::parse_address(text, "--listen");
  net::Address address = net::parse_address(text.substr(0, text.size() - 1) + "1", "--listen");
  address.port = 0;
  return address;
}

std::string fingerprint(const std::string& flag, const std::string& text) {
  if (net::is_fingerprint(text)) return text;
  throw InputError(
      flag,
      fmt::format(
          "'{}' is no fingerprint of a certificate: expected sha256: and 64 hex digits, as `sotto keys show` prints it",
          text));
}

}  // namespace

void add_key_options(Command& command, KeyArguments& arguments) {
  command.add_option("--key", arguments.key, "This one's private key and certificate, of `sotto keys new`")
      ->type_name("FILE")
      ->group(group);
  command
      .add_flag("--insecure-plaintext", arguments.plaintext,
                "Neither encrypt nor prove who is who: for trials on one machine")
      ->group(group);
}

void add_listen_options(Command& command, ListenArguments& arguments, const std::string& clients,
                        const std::string& whom_to_trust) {
  command.add_option("--listen", arguments.listen, fmt::format("Where {} connect; port 0 takes a free one", clients))
      ->type_name("HOST:PORT")
      ->group(group);
  command.add_option("--trust", arguments.trust, whom_to_trust)->type_name("sha256:..")->each_time()->group(group);
  command.add_option("--listen-descriptor", arguments.descriptor, "A bound socket that this process inherited")
      ->number(whole(0, largest_descriptor))
      ->group("");
}

void add_connect_options(Command& command, ConnectArguments& arguments, const std::string& service) {
  command.add_option(arguments.connect_flag, arguments.connect, fmt::format("Where {} is", service))
      ->type_name("HOST:PORT")
      ->group(group);
  command
      .add_option(arguments.trust_flag, arguments.trust,
                  fmt::format("Fingerprint of {}, which its `sotto keys show` prints", service))
      ->type_name("sha256:..")
      ->group(group);
}

net::ServiceConfig service_config(const ListenArguments& arguments, const KeyArguments& key, const std::string& name) {
  refuse_trust_in_plaintext("--trust", !arguments.trust.empty(), key);
  net::ServiceConfig config;
  config.name = name;
  if (arguments.descriptor >= 0) {
    config.descriptor = arguments.descriptor;
  } else if (arguments.listen.empty()) {
    throw InputError("--listen", "say where clients connect, such as --listen 127.0.0.1:4000");
  } else {
    config.listen = listen_address(arguments.listen);
  }
  config.trust.plaintext = key.plaintext;
  config.trust.identity = identity_of(key);
  for (const std::string& who : arguments.trust) {
    if (who == anyone) {
      config.trust.anyone = true;
    } else {
      config.trust.trusted.insert(fingerprint("--trust", who));
    }
  }
  return config;
}

net::ClientConfig client_config(const ConnectArguments& arguments, const KeyArguments& key, const std::string& name) {
  const std::string& flag = arguments.connect_flag;
  refuse_trust_in_plaintext(arguments.trust_flag, !arguments.trust.empty(), key);
  if (arguments.connect.empty()) {
    throw InputError(flag, fmt::format("say where the {} is, such as {} 127.0.0.1:4000", name, flag));
  }
  net::ClientConfig config;
  config.name = name;
  config.service = parse_peer(arguments.connect, flag);
  config.trust.plaintext = key.plaintext;
  config.trust.identity = identity_of(key);
  if (!key.plaintext) {
    if (arguments.trust.empty()) {
      throw InputError(arguments.trust_flag, fmt::format("give the fingerprint of the {}, which its `sotto keys show` "
                                                         "prints (or --insecure-plaintext for links without TLS)",
                                                         name));
    }
    config.trust.trusted.insert(fingerprint(arguments.trust_flag, arguments.trust));
  }
  return config;
}

}  // namespace sotto::apps
