// Commands that set up the roles of a run on several machines. `keys` must live as long as the command line.
#pragma once

namespace sotto::apps {

class Command;
class Keys;

void add_init_command(Command& app, const Keys& keys);

void add_keys_command(Command& app, const Keys& keys);

using AsAlignment = std::function<std::shared_ptr<RoleSettings>(const RoleSettings& run)>;
void add_doctor_command(Command& app, const Keys& keys, AsAlignment as_alignment);

}  // namespace sotto::apps
