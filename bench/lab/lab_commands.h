// The subcommands of sotto-lab, each in the folder of its paper or measurement.
#pragma once

namespace sotto::apps {
class Command;
}  // namespace sotto::apps

namespace sotto::apps::lab {

// `sotto-lab bench`: measurements. What the messages of a bandit step cost on this machine without any arithmetic, and
// what else the machine allows.
void add_bench_floor(Command& bench);
// What a step of the private bandit costs, beside its floor.
void add_bench_bandit(Command& bench);
// What randomness costs that no dealer makes, beside one.
void add_bench_modes(Command& bench);
// What the participants of O3M compute for a step, beside the central twin.
void add_bench_o3m(Command& bench);
// How many reports P2B's shuffler takes on loopback.
void add_bench_p2b(Command& bench);
// What each primitive costs.
void add_bench_primitives(Command& bench);
// How fast the decision service is over HTTP.
void add_bench_live(Command& bench);
// How many messages a service takes.
void add_bench_service(Command& bench);
// The bandit on emulated links, beside a model of its time, and plots of it.
void add_bench_wan(Command& bench);

// `sotto-lab audit`: shows on generated or own data what O3M leaks.
void add_o3m_audit_command(Command& app);

// `sotto-lab paper hannun`, `o3m` and `robin`: play the experiments of Hannun et al. 2019 and Cao et al. 2022, and
// ROBIN at several settings, and compare with reference figures.
void add_hannun_paper_command(Command& paper);
void add_o3m_paper_command(Command& paper);
void add_robin_paper_command(Command& paper);
// `sotto-lab paper batches`: the private bandit in batches of several sizes and delays, compared in the same way.
void add_batches_paper_command(Command& paper);

// `sotto-lab soak`: a decision service whose roles are killed at random, while a client asks, pushes and rewards.
void add_soak_command(Command& app);

// `sotto-lab simulate`: the experiments of Malekzadeh et al. 2020 (p2b/simulate.h), on the synthetic world, multi-label
// data, the Criteo log, and users of a file.
void add_p2b_simulate_command(Command& app);

}  // namespace sotto::apps::lab
