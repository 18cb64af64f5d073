#include "sotto/protocol/transport/tls/identity.h"

#include <sys/stat.h>
#include <unistd.h>

#include "net/transport/tls/key_file.h"
#include "tests/framework.h"

namespace sotto::net {
namespace {

class IdentityFiles : public ::testing::Test {
 protected:
  IdentityFiles() {
    std::string pattern = ::testing::TempDir() + "sotto-keys-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~IdentityFiles() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::filesystem::path file(const char* name) const { return folder_ / name; }
  static unsigned mode(const std::filesystem::path& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode & 07777;
  }
  static std::string text(const std::filesystem::path& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(const char* name, const std::string& contents) const {
    std::ofstream(file(name)) << contents;
    ::chmod(file(name).c_str(), 0600);
  }
  [[nodiscard]] std::string refusal(const char* name) const {
    return error_of<InputError>([&] { (void)Identity::read(file(name)); });
  }

  std::filesystem::path folder_;
};

std::array<std::byte, 32> derived(const Identity& identity, std::string_view label) {
  std::array<std::byte, 32> bytes{};
  identity.derive(label, bytes);
  return bytes;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_F(IdentityFiles, ComeBackAsTheyWereWritten) {
  const Identity made = Identity::create("party_0");
  made.write(file("key.pem"));
  EXPECT_EQ(mode(file("key.pem")), 0600);
  const Identity read = Identity::read(file("key.pem"));
  EXPECT_EQ(read.fingerprint(), made.fingerprint());
  EXPECT_EQ(read.certificate().name, "party_0");
  EXPECT_EQ(derived(read, "store"), derived(made, "store"));
  made.write_certificate(file("key.crt"));
  EXPECT_FALSE(contains(text(file("key.crt")), "PRIVATE"));
  for (const char* name : {"key.pem", "key.crt"}) {
    const Certificate certificate = read_certificate(file(name));
    EXPECT_EQ(certificate.fingerprint, made.fingerprint());
    EXPECT_TRUE(is_fingerprint(certificate.fingerprint));
    EXPECT_FALSE(invalid_at(certificate, std::chrono::system_clock::now()));
  }
}

// The certificate was made by: openssl req -x509 -newkey ed25519 -days 1000000
TEST_F(IdentityFiles, MayBeValidBeyondWhatTheClockCounts) {
  put("late.crt",
      "-----BEGIN CERTIFICATE-----\n"
      "MIIBNDCB56ADAgECAhQByQPztAV1i7Tic7vc9yQwmjBBeTAFBgMrZXAwDzENMAsG\n"
      "A1UEAwwEbGF0ZTAgFw0yNjExMjIwOTM2NTJaGA80NzY0MTAxOTA5MzY1MlowDzEN\n"
      "MAsGA1UEAwwEbGF0ZTAqMAUGAytlcAMhAOa0rukt8w1ekqUqxbZ0YdU+Tkozx7qB\n"
      "FUGzYIi6BWaEo1MwUTAdBgNVHQ4EFgQUfugnpXeM1Kn981VKWUrNg/oJUmowHwYD\n"
      "VR0jBBgwFoAUfugnpXeM1Kn981VKWUrNg/oJUmowDwYDVR0TAQH/BAUwAwEB/zAF\n"
      "BgMrZXADQQAhc1aI94+ohqaUXuPltv+3NPjqn6GGrx+LqL8Jm4Ot7Gl2q9NbkhHZ\n"
      "WiZpHDBoBwR5ls6/8zhmUcu3vr8ZkZsJ\n"
      "-----END CERTIFICATE-----\n");
  const Certificate certificate = read_certificate(file("late.crt"));
  EXPECT_EQ(certificate.name, "late");
  EXPECT_EQ(date_text(certificate.valid_until).substr(0, 5), "2262-");
  EXPECT_FALSE(invalid_at(certificate, certificate.valid_from + std::chrono::hours(24 * 365)));
}

TEST_F(IdentityFiles, AreNeverWrittenOver) {
  const Identity made = Identity::create("party_0");
  put("key.pem", "what was here before");
  EXPECT_THROW(made.write(file("key.pem")), InputError);
  EXPECT_EQ(text(file("key.pem")), "what was here before");
  std::filesystem::create_symlink(file("elsewhere"), file("link.pem"));
  EXPECT_THROW(made.write(file("link.pem")), InputError);
  EXPECT_FALSE(std::filesystem::exists(file("elsewhere")));
  EXPECT_THROW(made.write(file("no/such/folder/key.pem")), ResourceError);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    files += entry.path().filename() != "key.pem" && entry.path().filename() != "link.pem" ? 1 : 0;
  }
  EXPECT_EQ(files, 0) << "nothing half-written is left";
}

TEST_F(IdentityFiles, AreRefusedIfOthersCanReadThem) {
  Identity::create("party_0").write(file("key.pem"));
  for (const unsigned open : {0640U, 0604U, 0620U, 0610U}) {
    ::chmod(file("key.pem").c_str(), open);
    const std::string why = refusal("key.pem");
    EXPECT_TRUE(contains(why, "chmod 600 " + file("key.pem").string())) << why;
  }
  ::chmod(file("key.pem").c_str(), 0400);
  EXPECT_EQ(refusal("key.pem"), "");
}

TEST_F(IdentityFiles, AreRefusedWithAReason) {
  const Identity made = Identity::create("party_0");
  made.write(file("key.pem"));
  made.write_certificate(file("key.crt"));
  Identity::create("party_1").write_certificate(file("other.crt"));
  const std::string whole = text(file("key.pem"));
  const std::string key = whole.substr(0, whole.find("-----BEGIN CERTIFICATE"));
  EXPECT_TRUE(contains(refusal("none.pem"), "No such file"));
  put("empty.pem", "");
  EXPECT_TRUE(contains(refusal("empty.pem"), "no private key"));
  put("certificate.pem", text(file("key.crt")));
  EXPECT_TRUE(contains(refusal("certificate.pem"), "no private key"));
  put("alone.pem", key);
  EXPECT_TRUE(contains(refusal("alone.pem"), "no certificate"));
  put("mixed.pem", key + text(file("other.crt")));
  EXPECT_TRUE(contains(refusal("mixed.pem"), "of another key"));
  put("turned.pem", text(file("key.crt")) + key);
  EXPECT_EQ(refusal("turned.pem"), "");
  put("huge.pem", std::string(100'000, 'x'));
  EXPECT_TRUE(contains(refusal("huge.pem"), "too long"));
  std::filesystem::create_directory(file("folder.pem"));
  EXPECT_TRUE(contains(refusal("folder.pem"), "no regular file"));
  put("locked.pem",
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
      "MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhHbq0K6gKQfQICCAAw\n"
      "DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEFcV8mCV0Yk4J9B6ZtGk3MwEQHlK\n"
      "0g3u4v1vJmGk0nq8n3p9o7m2w1x6y5z4AbCdEfGhIjKlMnOpQrStUvWxYz012345\n"
      "678901234567890123456789ABCDEFGHIJKLMNO=\n"
      "-----END ENCRYPTED PRIVATE KEY-----\n");
  EXPECT_TRUE(contains(refusal("locked.pem"), "passphrase")) << refusal("locked.pem");
  for (const char* name : {"empty.pem", "huge.pem", "alone.pem"}) {
    EXPECT_THROW(static_cast<void>(read_certificate(file(name))), InputError) << name;
  }
}

TEST(Identity, IsFreshEachTime) {
  std::set<std::string> seen;
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(seen.insert(Identity::create("party_0").fingerprint()).second);
  }
}

TEST(Identity, HasANameForPeople) {
  EXPECT_THROW(static_cast<void>(Identity::create("")), InputError);
  EXPECT_THROW(static_cast<void>(Identity::create(std::string(65, 'a'))), InputError);
  EXPECT_THROW(static_cast<void>(Identity::create("a\nb")), InputError);
  EXPECT_EQ(Identity::create(std::string(64, 'a')).certificate().name, std::string(64, 'a'));
}

TEST(Identity, DerivesKeysByLabel) {
  const Identity one = Identity::create("one");
  const Identity two = Identity::create("two");
  EXPECT_EQ(derived(one, "store"), derived(one, "store"));
  EXPECT_NE(derived(one, "store"), derived(one, "stors"));
  EXPECT_NE(derived(one, "store"), derived(two, "store"));
  std::vector<std::byte> none;
  std::vector<std::byte> much(8161);
  EXPECT_THROW(one.derive("store", none), std::invalid_argument);
  EXPECT_THROW(one.derive("store", much), std::invalid_argument);
  EXPECT_THROW(one.derive(std::string(1025, 'a'), std::span(much).first(8)), std::invalid_argument);
}

TEST(Certificate, SaysWhenItIsValid) {
  const WallTime from{std::chrono::seconds(1'000'000'000)};  // 2001-09-09 01:46:40
  const WallTime until = from + std::chrono::hours(24);
  const Certificate certificate = Identity::create("a", {from, until}).certificate();
  EXPECT_EQ(certificate.valid_from, from);
  EXPECT_EQ(certificate.valid_until, until);
  EXPECT_FALSE(invalid_at(certificate, from));
  EXPECT_FALSE(invalid_at(certificate, until));
  EXPECT_EQ(invalid_at(certificate, from - std::chrono::seconds(1)),
            "is valid from 2001-09-09 01:46:40 UTC on only, and the clock here says 2001-09-09 01:46:39 UTC");
  EXPECT_EQ(invalid_at(certificate, until + std::chrono::seconds(1)),
            "expired on 2001-09-10 01:46:40 UTC, and the clock here says 2001-09-10 01:46:41 UTC");
}

TEST(Fingerprint, IsOfOneForm) {
  const std::string good = "sha256:" + std::string(64, 'a');
  EXPECT_TRUE(is_fingerprint(good));
  EXPECT_FALSE(is_fingerprint(""));
  EXPECT_FALSE(is_fingerprint("sha256:"));
  EXPECT_FALSE(is_fingerprint(std::string(64, 'a')));
  EXPECT_FALSE(is_fingerprint(good + "a"));
  EXPECT_FALSE(is_fingerprint("sha256:" + std::string(64, 'A')));
  EXPECT_FALSE(is_fingerprint("sha256:" + std::string(64, 'g')));
  EXPECT_FALSE(is_fingerprint("SHA256:" + std::string(64, 'a')));
}

TEST(SecretText, ForgetsWhatIsCut) {
  SecretText text(10);
  text.data()[0] = 'a';
  text.data()[9] = 'z';
  const char* const bytes = text.data();
  text.cut(5);
  EXPECT_EQ(text.size(), 5);
  EXPECT_EQ(text.data()[0], 'a');
  EXPECT_EQ(text.data(), bytes) << "nothing was copied";
}

}  // namespace
}  // namespace sotto::net
