// Flags of services, and of roles that connect to one (net/star/service.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "net/star/client.h"
#include "net/star/service.h"

namespace sotto::apps {

class Command;

struct KeyArguments {
  std::filesystem::path key;
  bool plaintext = false;
};

struct ListenArguments {
  std::string listen;
  std::vector<std::string> trust;
  int descriptor = -1;
};

struct ConnectArguments {
  std::string connect;
  std::string trust;
  std::string connect_flag = "--connect";
  std::string trust_flag = "--trust";
};

inline constexpr const char* trusted_client = "Fingerprint of a client that is let in, as often as needed";
inline constexpr const char* any_client =
    "Fingerprint of a client that is let in, as often as needed; or 'anyone', who shows any key";

// The arguments must live as long as the command.
void add_key_options(Command& command, KeyArguments& arguments);
void add_listen_options(Command& command, ListenArguments& arguments, const std::string& clients = "clients",
                        const std::string& whom_to_trust = any_client);
void add_connect_options(Command& command, ConnectArguments& arguments, const std::string& service);

// These functions throw an InputError that names the flag if a value is invalid.
[[nodiscard]] net::ServiceConfig service_config(const ListenArguments& arguments, const KeyArguments& key,
                                                const std::string& name);
[[nodiscard]] net::ClientConfig client_config(const ConnectArguments& arguments, const KeyArguments& key,
                                              const std::string& name);

}  // namespace sotto::apps
