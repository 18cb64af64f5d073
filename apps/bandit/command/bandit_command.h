// `sotto bandit`: the private bandit on one machine, every role a process of its own. Prints a
// summary, or one JSON object with
// --json, and writes run.json and report.html. With --checkpoint-every the roles keep their state in
// DIR/state, and --resume DIR goes on from there; resuming a run that is complete says so and is no
// error (exit code 0).
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_bandit_command(CLI::App& app);

}  // namespace sotto::apps
