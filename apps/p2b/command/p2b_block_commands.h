// The blocks of P2B, each by itself on files: `sotto p2b encoder`, `encode`, `shuffle`, `fit` and
// `epsilon`.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_p2b_encoder_command(CLI::App& p2b);
void add_p2b_encode_command(CLI::App& p2b);
void add_p2b_shuffle_command(CLI::App& p2b);
void add_p2b_fit_command(CLI::App& p2b);
void add_p2b_epsilon_command(CLI::App& p2b);

}  // namespace sotto::apps
