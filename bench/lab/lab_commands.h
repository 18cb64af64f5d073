// The subcommands of sotto-lab. Each subcommand is defined in the folder of its paper or measurement.
#pragma once

namespace sotto::apps {
class Command;
}  // namespace sotto::apps

namespace sotto::apps::lab {

// The commands of `sotto-lab bench`, which are measurements. The command `floor` measures how long the messages of a
// bandit step take by themselves on this machine, and other limits of the machine.
void add_bench_floor(Command& bench);
// The cost of a step of the private bandit, compared with its floor.
void add_bench_bandit(Command& bench);
// The cost of randomness without a dealer, compared with a dealer.
void add_bench_modes(Command& bench);
// The computing time of the participants of O3M for a step, compared with the central twin.
void add_bench_o3m(Command& bench);
// The rate of reports that P2B's shuffler can receive on loopback.
void add_bench_p2b(Command& bench);
// The cost of each primitive.
void add_bench_primitives(Command& bench);
// The speed of the decision service over HTTP.
void add_bench_live(Command& bench);
// The rate of messages that a service can receive.
void add_bench_service(Command& bench);
// The bandit on emulated links, compared with a model of its time, with plots.
void add_bench_wan(Command& bench);

// `sotto-lab audit`: shows the leakage of O3M on generated data or the user's own data.
void add_o3m_audit_command(Command& app);

// `sotto-lab paper hannun`, `o3m` and `robin` play the experiments of Hannun et al. 2019, those of Cao et al. 2022, and
// runs of ROBIN at several settings. The commands compare the results with reference figures.
void add_hannun_paper_command(Command& paper);
void add_o3m_paper_command(Command& paper);
void add_robin_paper_command(Command& paper);
// `sotto-lab paper batches`: the private bandit in batches of several sizes and delays, compared with reference
// figures.
void add_batches_paper_command(Command& paper);

// `sotto-lab soak`: a decision service whose roles are killed at random, while a client requests decisions, pushes
// features and posts rewards.
void add_soak_command(Command& app);

// `sotto-lab simulate`: the experiments of Malekzadeh et al. 2020 (p2b/simulate.h), on the synthetic world, multi-label
// data, the Criteo log, and users from a file.
void add_p2b_simulate_command(Command& app);

}  // namespace sotto::apps::lab
