// Commands that set up the roles of a run across machines. `keys` are the keys of all programs whose roles have
// configs. They must live as long as the command line.
#pragma once

namespace sotto::apps {

class Command;
class Keys;

// `sotto init`: writes a set of configs.
void add_init_command(Command& app, const Keys& keys);

// `sotto keys`: makes the private key of a role, shows fingerprints, and enters them into configs.
void add_keys_command(Command& app, const Keys& keys);

// `sotto doctor`: finds what would stop a role, and says what to do.
// AsAlignment reads a role's config of a run as a config of an alignment (apps/prepare/align).
using AsAlignment = std::function<std::shared_ptr<RoleSettings>(const RoleSettings& run)>;
void add_doctor_command(Command& app, const Keys& keys, AsAlignment as_alignment);

}  // namespace sotto::apps
