// The fuzz targets, a function each: of the input, or of the file that holds it. Any bytes will do. What a decoder
// accepts encodes to the same bytes, what a reader gives is whole and is written to a file that reads back, what is shown
// of an input is printable; everything else is the typed error of who is at fault.
#pragma once

#include <filesystem>

#include "tests/fuzz/target.h"

namespace sotto::fuzz {

// targets_protocols.cc
void frames(Input input);
void chunks(Input input);

// targets_net.cc
void handshake(Input input);
void agreement(Input input);
void set_up(Input input);
void tls(Input input);
void service(Input input);
void keys(const std::filesystem::path& path);

// targets_apps.cc
void config(const std::filesystem::path& path);
void overlay(Input input);
void store(Input input);
void stored_rows(Input input);
void saved_run(Input input);
void p2b_model(Input input);
void robin_messages(Input input);
void p2b_messages(Input input);

// targets_readers.cc
void csv(const std::filesystem::path& path);
void idx(const std::filesystem::path& path);
void long_form(const std::filesystem::path& path);
void criteo(const std::filesystem::path& path);
void libsvm(const std::filesystem::path& path);
void arff(const std::filesystem::path& path);
void users(const std::filesystem::path& path);
void tuples(const std::filesystem::path& path);
void encoder(const std::filesystem::path& path);

}  // namespace sotto::fuzz
