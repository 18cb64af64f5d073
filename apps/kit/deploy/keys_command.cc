#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/kit/deploy/commands.h"
#include "apps/kit/deploy/trust_entry.h"
#include "apps/kit/files/json.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/option_values.h"
#include "core/text/terminal_safe.h"
#include "net/transport/tls/key_file.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/transport/tls/identity.h"

namespace sotto::apps {
namespace {

constexpr unsigned most_days = 36500;

struct Shown {
  std::filesystem::path file;
  net::Certificate certificate;
  bool private_key;
};

net::WallTime now() { return std::chrono::system_clock::now(); }

nlohmann::json json_of(const Shown& shown) {
  const net::Certificate& c = shown.certificate;
  return {{"file", shown.file.string()},
          {"fingerprint", c.fingerprint},
          {"name", c.name},
          {"valid_from", net::date_text(c.valid_from)},
          {"valid_until", net::date_text(c.valid_until)},
          {"valid", !net::invalid_at(c, now()).has_value()},
          {"private_key", shown.private_key}};
}

void print(const Shown& shown) {
  const net::Certificate& c = shown.certificate;
  fmt::print("{} ({})\n  name         {}\n  fingerprint  {}\n  valid        {} to {}\n",
             terminal_safe(shown.file.string()),
             shown.private_key ? "private key and certificate: keep it" : "certificate", c.name.empty() ? "-" : c.name,
             c.fingerprint, net::date_text(c.valid_from), net::date_text(c.valid_until));
  if (const auto why = net::invalid_at(c, now())) fmt::print("  NOT VALID    it {}\n", *why);
}

struct NewKey {
  std::filesystem::path out;
  std::string name = "sotto";
  unsigned days = net::Identity::default_days;
  bool json = false;
};

void refuse_existing(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::symlink_status(file, ignored).type() == std::filesystem::file_type::not_found) {
    return;
  }
  throw InputError(file.string(),
                   "this file exists, and keys are never written over: choose another --out, or move it away");
}

void make_key(const NewKey& wanted) {
  const std::filesystem::path key = wanted.out.empty() ? std::filesystem::path(wanted.name + ".pem") : wanted.out;
  std::filesystem::path certificate = key;
  certificate.replace_extension(".crt");
  if (certificate == key) {
    throw InputError("--out", "a private key whose name ends in .crt would look like a certificate");
  }
  refuse_existing(key);
  refuse_existing(certificate);
  const net::Identity identity = net::Identity::create(wanted.name, net::Identity::valid_for_days(wanted.days));
  identity.write(key);
  identity.write_certificate(certificate);
  if (wanted.json) {
    nlohmann::json json = json_of(Shown{key, identity.certificate(), true});
    json["certificate_file"] = certificate.string();
    fmt::print("{}\n", json_text(json, 2));
    return;
  }
  fmt::print(
      "{}  private key and certificate: it stays on this machine, readable by you alone\n"
      "{}  the certificate, to hand out; or tell the others the fingerprint:\n"
      "{}\n"
      "valid until {}\n",
      terminal_safe(key.string()), terminal_safe(certificate.string()), identity.fingerprint(),
      net::date_text(identity.certificate().valid_until));
}

Shown look_at(const std::filesystem::path& file) {
  bool private_key = false;
  {
    const net::SecretText text = net::read_small_file(file, net::Readers::anybody);
    private_key = std::string_view(text.data(), text.size()).find("PRIVATE KEY-----") != std::string_view::npos;
  }
  // Identity::read() refuses a key file that others can read, or whose certificate does not belong to the key.
  return private_key ? Shown{file, net::Identity::read(file).certificate(), true}
                     : Shown{file, net::read_certificate(file), false};
}

void show_keys(const std::vector<std::filesystem::path>& files, bool json) {
  std::vector<Shown> all;
  all.reserve(files.size());
  for (const std::filesystem::path& file : files) all.push_back(look_at(file));
  if (!json) {
    for (const Shown& shown : all) print(shown);
    return;
  }
  nlohmann::json list = nlohmann::json::array();
  for (const Shown& shown : all) list.push_back(json_of(shown));
  fmt::print("{}\n", json_text(list, 2));
}

struct NewTrust {
  std::filesystem::path config;
  std::string role;
  std::string whom;  // fingerprint or path
  bool next = false;
};

// Also accepts a fingerprint as other programs print it: "sha256:AB:CD:..".
std::string tidied(std::string text) {
  constexpr std::string_view prefix = "sha256:";
  if (text.rfind(prefix, 0) != 0) return text;
  std::string digits = text.substr(prefix.size());
  digits.erase(std::remove(digits.begin(), digits.end(), ':'), digits.end());
  for (char& c : digits) c = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  return std::string(prefix) + digits;
}

std::string fingerprint_of(const std::string& whom) {
  std::string text = tidied(whom);
  if (net::is_fingerprint(text)) return text;
  std::error_code ignored;
  if (!std::filesystem::exists(whom, ignored)) {
    throw InputError(
        fmt::format("'{}' is neither a fingerprint (sha256: and 64 hex digits, as `sotto keys show` prints it) nor a "
                    "file with a certificate",
                    whom));
  }
  const net::Certificate certificate = net::read_certificate(whom);
  if (const auto why = net::invalid_at(certificate, now())) {
    throw InputError(whom,
                     fmt::format("the certificate {} {}: ask its owner for a new one", certificate.fingerprint, *why));
  }
  return certificate.fingerprint;
}

void trust(const Keys& keys, const NewTrust& wanted) {
  const std::string fingerprint = fingerprint_of(wanted.whom);
  const TrustTable which = wanted.next ? TrustTable::next : TrustTable::present;
  const std::optional<std::string> before = write_trust(keys, wanted.config, wanted.role, fingerprint, which);
  const std::string config = terminal_safe(wanted.config.string());
  if (before == fingerprint) {
    fmt::print("{} trusts this certificate for {} already; nothing was changed\n  {}\n", config, wanted.role,
               fingerprint);
    return;
  }
  fmt::print("{} now trusts for {}{}\n  {}\n", config, wanted.role,
             wanted.next ? ", in addition to the one in [trust]," : "", fingerprint);
  if (before) fmt::print("and no longer\n  {}\n", *before);
  if (wanted.next) {
    fmt::print("Enter it at every role. A role that runs reads it on SIGHUP; then {} may change its key.\n",
               wanted.role);
  } else {
    fmt::print("[trust] must be the same at every role.\n");
  }
}

void add_new(Command& keys) {
  Command* command = keys.add_subcommand("new", "Make a private key and its certificate, for one role");
  const auto wanted = std::make_shared<NewKey>();
  command
      ->add_option("--out", wanted->out,
                   "The key file; the certificate by itself is written next to it as .crt (default: <name>.pem)")
      ->type_name("FILE");
  command->add_option("--name", wanted->name, "For people to read; it proves nothing")->shows_default();
  command->add_option("--days", wanted->days, "How long it is valid", whole(1, most_days));
  command->add_flag("--json", wanted->json, "Print one JSON object");
  command->footer(
      "Files are never written over. The key file is readable by its owner only.\n"
      "Examples:\n"
      "  sotto keys new --name party_0\n"
      "  sotto keys new --out /etc/sotto/dealer.pem --name dealer --days 365");
  command->callback([wanted] { make_key(*wanted); });
}

void add_show(Command& keys) {
  Command* command = keys.add_subcommand("show", "Show name, fingerprint and dates of keys and certificates");
  const auto files = std::make_shared<std::vector<std::filesystem::path>>();
  const auto json = std::make_shared<bool>(false);
  command->add_option("files", *files, "Key files or certificates, PEM")->required()->type_name("FILE");
  command->add_flag("--json", *json, "Print a JSON array, one object a file");
  command->footer(
      "Compare fingerprints by telephone or in person, not over the network that they are to protect.\n"
      "Examples:\n"
      "  sotto keys show party_0.pem\n"
      "  sotto keys show *.crt --json");
  command->callback([files, json] { show_keys(*files, *json); });
}

void add_trust(Command& above, const Keys& keys) {
  Command* command =
      above.add_subcommand("trust", "Enter the fingerprint of a role's certificate into the [trust] of a config");
  const auto wanted = std::make_shared<NewTrust>();
  command->add_option("--config", wanted->config, "The config to change, TOML")->required()->type_name("FILE");
  command->add_option("role", wanted->role, "As in [peers] and [trust]: party_0, dealer, active, passive_1, ...")
      ->required()
      ->type_name("ROLE");
  command->add_option("certificate", wanted->whom, "Its fingerprint, or a file with its certificate")
      ->required()
      ->type_name("FINGERPRINT|FILE");
  command->add_flag(
      "--next", wanted->next,
      "For the decision service: trust it in addition to the present one, as the role will change its key");
  command->footer(
      "Everything else in the config stays as it is.\n"
      "Examples:\n"
      "  sotto keys trust --config party_0.toml dealer dealer.crt\n"
      "  sotto keys trust --config party_0.toml party_1 "
      "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
  command->callback([&keys, wanted] { trust(keys, *wanted); });
}

}  // namespace

void add_keys_command(Command& app, const Keys& keys) {
  Command* command =
      app.add_subcommand("keys", "Make the keys that encrypt links and prove who speaks, show and trust them");
  add_new(*command);
  add_show(*command);
  add_trust(*command, keys);
  command->footer(
      "Each of them has a --help of its own.\n"
      "Examples:\n"
      "  sotto keys new --name party_0\n"
      "  sotto keys show party_0.crt\n"
      "  sotto keys trust --config party_0.toml dealer dealer.crt");
}

}  // namespace sotto::apps
