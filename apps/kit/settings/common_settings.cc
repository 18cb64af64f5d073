#include "apps/kit/settings/role_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "apps/kit/program/option_values.h"
#include "apps/kit/settings/section.h"
#include "apps/kit/settings/toml_text.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/transport/tcp/listener.h"
#include "sotto/protocol/transport/tls/identity.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps {
namespace {

using S = RoleSettings;

S& common(Settings& settings) { return static_cast<S&>(settings); }
const S& common(const Settings& settings) { return static_cast<const S&>(settings); }

Setting session_setting() {
  Setting setting = text("run.session", &S::session, "32 lower-case hex digits",
                         "32 hex digits that name the run; `openssl rand -hex 16` makes fresh ones");
  setting.required = setting.of_owner = true;
  setting.read = [](const Section& run, Settings& settings) {
    std::string& session = common(settings).session;
    session = run.text("session").value_or("");
    if (!is_hex(session, 32)) run.refuse("session");
  };
  return setting;
}

// The function program_of() has already read the protocol.
Setting protocol_setting(const Program& program) {
  Setting setting =
      make_setting("run.protocol", ValueKind::text, '"' + program.word + '"', "The protocol that the roles run");
  setting.of_owner = true;
  setting.read = [](const Section&, Settings&) {};
  setting.write = [](const Settings& settings) -> std::optional<std::string> {
    if (settings.program().is_default) return std::nullopt;
    return toml_quoted(settings.program().word);
  };
  return setting;
}

std::vector<Setting> insecure_settings() {
  return {number("run.insecure_seed", &S::insecure_seed, {},
                 "Repeatable randomness, for tests: everybody can compute all masks")
              .insecure("everybody can compute all masks", "drop it from [run] at every role"),
          choice("run.insecure_plaintext", &S::insecure_plaintext,
                 "Links without TLS: who is on the way reads and changes everything")
              .with_flag("--insecure-plaintext")
              .insecure("whoever is on the way reads and changes everything, the seeds of the masks included",
                        "give every role a key with `sotto keys new`, and drop it"),
          choice("run.insecure_shared_keys", &S::insecure_shared_keys,
                 "One person made the keys of all roles, and could play each of them")
              .insecure("one hand made the keys of all roles and can speak for each",
                        "let every role make its own with `sotto keys new`")
              .known_where_all_is()};
}

template <class Read, class Write>
Setting link_setting(const char* path, const char* expected, const char* help, Read read, Write write) {
  Setting setting = make_setting(path, ValueKind::text, expected, help);
  setting.read = [read, key = setting.name](const Section& table, Settings& settings) {
    if (const auto text = table.text(key)) read(*text, table.where(key), common(settings).link);
  };
  setting.write = [write](const Settings& settings) { return detail::toml_of(write(common(settings).link)); };
  return setting;
}

std::vector<Setting> link_settings() {
  using Link = net::LinkConditions;
  using Text = const std::string&;
  return {link_setting(
              "link.delay", "a text such as \"20ms\"", "Emulated delay of each link, one way",
              [](Text text, Text where, Link& link) { link.delay = net::parse_delay(text, where); },
              [](const Link& link) { return link.delay.count() > 0 ? net::delay_text(link.delay) : ""; }),
          link_setting(
              "link.jitter", "a text such as \"2ms\"", "Emulated further delay of each write, uniform from 0 to this",
              [](Text text, Text where, Link& link) { link.jitter = net::parse_delay(text, where); },
              [](const Link& link) { return link.jitter.count() > 0 ? net::delay_text(link.jitter) : ""; }),
          link_setting(
              "link.rate", "a text such as \"100mbit\"", "Emulated rate of each direction of each link, a second",
              [](Text text, Text where, Link& link) { link.bits_per_second = net::parse_rate(text, where); },
              [](const Link& link) { return link.bits_per_second > 0 ? net::rate_text(link.bits_per_second) : ""; }),
          link_setting(
              "link.loss", "a text such as \"30s\" or \"0.01/s\"",
              "Cuts each link after this time, or with this probability a second",
              [](Text text, Text where, Link& link) { net::parse_loss(text, where, link); },
              [](const Link& link) { return net::loss_text(link); })};
}

std::vector<Setting> naming_settings(const Program& program) {
  std::vector<std::pair<std::string, std::string>> words;
  std::string numbered;
  for (const RoleKind& kind : program.roles) {
    words.emplace_back(kind.word, kind.word);
    if (!kind.first) continue;
    numbered += fmt::format("{}{}, from {}", numbered.empty() ? "" : "; ", kind.name, *kind.first);
  }
  Setting id = number("role.id", &S::id, {0, max_parties}, fmt::format("The number of a {}", numbered))
                   .expecting(fmt::format("the number of the {}", numbered));
  id.read = [read = id.read](const Section& table, Settings& values) {
    S& settings = common(values);
    if (!settings.program().kind(settings.role_word).first) return;
    read(table, settings);
    if (!table.whole("id", 0, max_parties)) table.refuse_missing("id");
    const std::vector<std::string> all = role_names(settings);
    if (std::find(all.begin(), all.end(), settings.role_key()) == all.end()) table.refuse("id");
  };
  id.write = [write = id.write](const Settings& settings) {
    const std::string& word = common(settings).role_word;
    return !word.empty() && settings.program().kind(word).first ? write(settings) : std::nullopt;
  };
  return {word("role.name", &S::role_word, std::move(words), "Which role this is").needed(), std::move(id)};
}

std::vector<Setting> role_settings() {
  return {file("role.key", &S::key, "The role's private key and certificate, PEM").with_flag("--key").as_input(),
          text("role.listen", &S::listen, "an address, \"host:port\"",
               "Address to listen on, where it is not the one in [peers]")
              .with_flag("--listen", "HOST:PORT"),
          file("role.report", &S::report, "Where the role writes what it measured, JSON").with_flag("--report"),
          number("role.round_deadline_seconds", &S::round_deadline_seconds, {0, 86400, true},
                 "How long a peer may stay silent, the environment's time included, in seconds")
              .expecting("a number of seconds, above 0 and at most 86400")
              .with_flag("--round-deadline", "SECONDS"),
          number("role.connect_deadline_seconds", &S::connect_deadline_seconds, {0, 86400, true},
                 "How long to wait for all peers at the start, in seconds")
              .expecting("a number of seconds, above 0 and at most 86400")
              .with_flag("--connect-deadline", "SECONDS")};
}

Setting entry_of(const std::string& table, const std::string& key, std::map<std::string, std::string> S::*map,
                 const char* expected, const char* help) {
  Setting setting = make_setting(table + "." + key, ValueKind::text, expected, help);
  setting.read = [map, key](const Section& section, Settings& settings) {
    if (const auto text = section.text(key)) (common(settings).*map)[key] = *text;
  };
  setting.write = [map, key](const Settings& settings) -> std::optional<std::string> {
    const auto found = (common(settings).*map).find(key);
    if (found == (common(settings).*map).end()) return std::nullopt;
    return toml_quoted(found->second);
  };
  return setting;
}

std::vector<Setting> entries(const Program& program, const std::string& table) {
  std::vector<Setting> result;
  for (const RoleKind& kind : program.roles) {
    const std::size_t first = kind.first.value_or(0);
    for (std::size_t id = first; id < (kind.first ? max_parties : first + 1); ++id) {
      if (table == "trust" || table == Program::next_trust_table) {
        const bool is_next = table != "trust";
        result.push_back(entry_of(table, kind.key(id), is_next ? &S::next_trust : &S::trust,
                                  "a fingerprint, \"sha256:\" and 64 lower-case hex digits",
                                  is_next ? "Another certificate that the role may show: it changes its key"
                                          : "The fingerprint of the role's certificate"));
      } else if (kind.listens) {
        result.push_back(
            entry_of(table, kind.key(id), &S::peers, "an address, \"host:port\"", "Where the role listens"));
      }
    }
  }
  return result;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Host names are compared in lower case.
std::string read_address(net::Address address, const std::string& where) {
  for (char& c : address.host) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte >= 0x7f) {
      throw InputError(where, "a host is a name of ASCII characters or a numeric address");
    }
    c = static_cast<char>(std::tolower(byte));
  }
  return address.text();
}

void check_peers(const S& config, const Section& peers) {
  const std::vector<std::string> wanted = listening_roles(config);
  for (const std::string& name : wanted) {
    if (!config.peers.contains(name)) peers.refuse_missing(name);
  }
  std::map<std::string, std::string> roles;  // address -> role
  for (const auto& [name, text] : config.peers) {
    if (!contains(wanted, name)) {
      throw InputError(peers.where(name),
                       fmt::format("nobody connects to it: of this run only {} listen", fmt::join(wanted, ", ")));
    }
    const auto [other, alone] =
        roles.emplace(read_address(parse_peer(text, peers.where(name)), peers.where(name)), name);
    if (!alone) {
      throw InputError(peers.where(name),
                       fmt::format("{} is the address of {} too; each role needs a host or a port of its own",
                                   other->first, other->second));
    }
  }
}

// Two roles must not share a fingerprint, but one role may have the same fingerprint in [trust] and in [next_trust].
void check_fingerprints(const std::map<std::string, std::string>& trust, const Section& table,
                        const std::vector<std::string>& wanted, std::map<std::string, std::string>& roles) {
  for (const auto& [name, fingerprint] : trust) {
    if (!contains(wanted, name)) throw InputError(table.where(name), "the run has no such role");
    if (!net::is_fingerprint(fingerprint)) table.refuse(name);
    const auto [other, alone] = roles.emplace(fingerprint, name);
    if (!alone && other->second != name) {
      throw InputError(table.where(name),
                       fmt::format("{} has the same certificate; each role needs a key of its own", other->second));
    }
  }
}

void check_trust(const S& config, const Section& trust, const Section& next, const std::string& file) {
  const std::vector<std::string> wanted = role_names(config);
  std::map<std::string, std::string> roles;  // fingerprint -> role
  check_fingerprints(config.trust, trust, wanted, roles);
  check_fingerprints(config.next_trust, next, wanted, roles);
  if (config.insecure_plaintext) return;
  for (const std::string& name : wanted) {
    if (config.trust.contains(name)) continue;
    throw InputError(trust.where(name),
                     fmt::format("the fingerprint is missing: `sotto keys trust --config {} {} FINGERPRINT` adds the "
                                 "one that `sotto keys show` prints at whoever runs the role; compare it by telephone",
                                 file, name));
  }
}

void check_key(const S& config, const Section& role) {
  if (!config.key.empty() || config.insecure_plaintext) return;
  throw InputError(
      role.where("key"),
      fmt::format("the role's private key is missing: `sotto keys new --out key.pem --name {}` makes one; name its "
                  "file with key in [role] or --key (a trial can do without by insecure_plaintext = true in [run])",
                  config.role_key()));
}

void check_listen(const S& config, const Section& role) {
  if (config.listen.empty()) return;
  if (!config.own_role().listens) {
    throw InputError(role.where("listen"),
                     fmt::format("{} only connects and needs no port; leave listen out", config.display_name()));
  }
  (void)read_address(net::parse_address(config.listen, role.where("listen")), role.where("listen"));
}

void check_report(const S& config, const ConfigDocument& document) {
  if (config.report.empty()) return;
  for (const Setting& setting : config.program().settings) {
    if (!setting.is_input) continue;
    if (setting.write(config) != detail::toml_of(config.report.string())) continue;
    throw InputError(
        Section(document, "role").where("report"),
        fmt::format("'{}' is an input of the role, which the report would overwrite", config.report.string()));
  }
}

using R = RoleSettings;

}  // namespace

Program Program::with_common_settings(Program of) {
  const auto is_align = [](const ConfigTable& table) { return table.name == align_table; };
  if (std::none_of(of.tables.begin(), of.tables.end(), is_align)) {
    of.tables.push_back(align_config_table(false));
    for (Setting& setting : align_setting_list(false)) of.settings.push_back(std::move(setting));
  }
  std::vector<Setting> all{session_setting(), protocol_setting(of)};
  const auto add = [&](std::vector<Setting> more) {
    for (Setting& setting : more) all.push_back(std::move(setting));
  };
  const auto add_own = [&](const std::string& table, bool insecure) {
    for (const Setting& setting : of.settings) {
      if (setting.table == table && setting.danger.empty() != insecure) all.push_back(setting);
    }
  };
  add_own("run", false);
  add(insecure_settings());
  add_own("run", true);
  const auto add_further = [&](bool own) {
    for (const ConfigTable& table : of.tables) {
      if (table.own == own) add_own(table.name, false);
    }
  };
  add_further(false);
  add(link_settings());
  add(naming_settings(of));
  add_own("role", false);
  add(role_settings());
  add_further(true);
  add(entries(of, "peers"));
  add(entries(of, "trust"));
  if (of.has_next_trust()) add(entries(of, Program::next_trust_table));
  of.settings = std::move(all);
  return of;
}

void check_common_settings(const S& config, const ConfigDocument& document) {
  const Section role(document, "role");
  config.check(document);
  check_peers(config, Section(document, "peers"));
  check_report(config, document);
  check_listen(config, role);
  check_key(config, role);
  check_trust(config, Section(document, "trust"), Section(document, Program::next_trust_table), document.file);
}

std::vector<Setting> align_setting_list(bool of_alignment) {
  std::vector<Setting> settings{
      word("align.unicode", &R::id_unicode,
           {{"nfc", UnicodeForm::nfc}, {"nfkc", UnicodeForm::nfkc}, {"raw", UnicodeForm::as_written}},
           "The Unicode form in which `sotto align` compares ids; \"raw\": as they are written"),
      word("align.case", &R::id_case, {{"keep", IdCase::keep}, {"fold", IdCase::fold}},
           "Whether ids that differ in upper and lower case alone are the same: \"fold\""),
      word("align.blanks", &R::id_blanks, {{"ends", IdBlanks::ends}, {"one", IdBlanks::one}, {"none", IdBlanks::none}},
           "Blanks of ids: those at the ends are dropped, further several are \"one\", or an id has \"none\""),
      text("align.also", &R::align_also, "a role other than the parties, such as \"actor\"",
           "A role other than the parties that has a table of its own")};
  const std::vector<const char*> flags{"--unicode", "--case", "--blanks", "--also"};
  for (std::size_t i = 0; i < settings.size(); ++i) {
    settings[i].flag = flags[i];
    settings[i].unit = i + 1 == settings.size() ? "ROLE" : "FORM";
  }
  if (of_alignment) return settings;
  settings[0] = std::move(settings[0]).only_if<R>([](const R& s) { return s.id_unicode != UnicodeForm::nfc; });
  settings[1] = std::move(settings[1]).only_if<R>([](const R& s) { return s.id_case != IdCase::keep; });
  settings[2] = std::move(settings[2]).only_if<R>([](const R& s) { return s.id_blanks != IdBlanks::ends; });
  return settings;
}

ConfigTable align_config_table(bool of_alignment) {
  return {align_table, !of_alignment,
          "How `sotto align` compares ids. All companies that align their tables have this alike."};
}

}  // namespace sotto::apps
