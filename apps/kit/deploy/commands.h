// Commands that set up the roles of a run across machines. `keys` are the config keys of all programs whose roles have
// configs. `keys` must live as long as the command line.
#pragma once

namespace sotto::apps {

class Command;
class Keys;

// `sotto init`: writes the configs of all roles of a run.
void add_init_command(Command& app, const Keys& keys);

// `sotto keys`: makes the private key of a role, shows fingerprints, and enters fingerprints into configs.
void add_keys_command(Command& app, const Keys& keys);

// `sotto doctor`: finds problems that would stop a role, and says what to do about each problem. AsAlignment turns a
// role's config for a run into the same role's config for an alignment (apps/prepare/align).
using AsAlignment = std::function<std::shared_ptr<RoleSettings>(const RoleSettings& run)>;
void add_doctor_command(Command& app, const Keys& keys, AsAlignment as_alignment);

}  // namespace sotto::apps
