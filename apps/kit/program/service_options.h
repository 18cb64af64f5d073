// The flags of roles that are services, and of roles that connect to one (net/star/service.h): the address, the trusted
// certificates, and the key by which other roles recognise the role.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "net/star/client.h"
#include "net/star/service.h"

namespace sotto::apps {

class Command;

// The arguments of --key FILE and --insecure-plaintext.
struct KeyArguments {
  std::filesystem::path key;
  bool plaintext = false;
};

// The arguments of --listen HOST:PORT, --trust sha256:..|anyone and --listen-descriptor.
struct ListenArguments {
  std::string listen;
  std::vector<std::string> trust;
  int descriptor = -1;
};

// The arguments of --connect HOST:PORT and --trust sha256:... A role that also listens uses other names for these two
// flags.
struct ConnectArguments {
  std::string connect;
  std::string trust;
  std::string connect_flag = "--connect";
  std::string trust_flag = "--trust";
};

inline constexpr const char* trusted_client = "Fingerprint of a client that is let in, as often as needed";
inline constexpr const char* any_client =
    "Fingerprint of a client that is let in, as often as needed; or 'anyone', who shows any key";

// The functions below declare the flags on a subcommand. The arguments must live as long as the command. In the texts
// of --help, `service` names the service that the role connects to ("the shuffler"), and `clients` names the roles that
// connect. `whom_to_trust` is the help text of --trust.
void add_key_options(Command& command, KeyArguments& arguments);
void add_listen_options(Command& command, ListenArguments& arguments, const std::string& clients = "clients",
                        const std::string& whom_to_trust = any_client);
void add_connect_options(Command& command, ConnectArguments& arguments, const std::string& service);

// The functions below return the settings that the flags give, for a service with the given name. If a value is
// invalid, these two functions throw an InputError that names the flag.
[[nodiscard]] net::ServiceConfig service_config(const ListenArguments& arguments, const KeyArguments& key,
                                                const std::string& name);
[[nodiscard]] net::ClientConfig client_config(const ConnectArguments& arguments, const KeyArguments& key,
                                              const std::string& name);

}  // namespace sotto::apps
