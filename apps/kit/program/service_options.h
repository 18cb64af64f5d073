// The flags of roles that are services, and of those that connect to one (net/star/service.h): where, whom to trust,
// and the key by which others know this one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "net/star/client.h"
#include "net/star/service.h"

namespace sotto::apps {

class Command;

// --key FILE, --insecure-plaintext.
struct KeyArguments {
  std::filesystem::path key;
  bool plaintext = false;
};

// --listen HOST:PORT, --trust sha256:..|anyone, --listen-descriptor.
struct ListenArguments {
  std::string listen;
  std::vector<std::string> trust;
  int descriptor = -1;
};

// --connect HOST:PORT, --trust sha256:... Who listens too gives the flags other names.
struct ConnectArguments {
  std::string connect;
  std::string trust;
  std::string connect_flag = "--connect";
  std::string trust_flag = "--trust";
};

inline constexpr const char* trusted_client = "Fingerprint of a client that is let in, as often as needed";
inline constexpr const char* any_client =
    "Fingerprint of a client that is let in, as often as needed; or 'anyone', who shows any key";

// Declare them on a subcommand. The arguments must live as long as the command; `service` says whom this one connects
// to, in the help: "the shuffler", `clients` who connects, and `whom_to_trust` what --trust takes.
void add_key_options(Command& command, KeyArguments& arguments);
void add_listen_options(Command& command, ListenArguments& arguments, const std::string& clients = "clients",
                        const std::string& whom_to_trust = any_client);
void add_connect_options(Command& command, ConnectArguments& arguments, const std::string& service);

// What the flags say, of a service of that name. Throw InputError that names the flag.
[[nodiscard]] net::ServiceConfig service_config(const ListenArguments& arguments, const KeyArguments& key,
                                                const std::string& name);
[[nodiscard]] net::ClientConfig client_config(const ConnectArguments& arguments, const KeyArguments& key,
                                              const std::string& name);

}  // namespace sotto::apps
