#include "net/transport/tls/tls_error.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/tls1.h>

#include "tests/framework.h"

namespace sotto::net {
namespace {

TlsError of_alert(int alert, bool in_handshake) {
  return explain_tls_error(ERR_PACK(ERR_LIB_SSL, 0, SSL_AD_REASON_OFFSET + alert), in_handshake, "1234");
}

// A record that lost its head has any version: of a link that was set up, that speaks of damage, never of another TLS.
TEST(TlsErrorTest, AnAlertAboutARecordIsDamageOnceTheLinkIsSetUp) {
  for (const int alert : {SSL_AD_PROTOCOL_VERSION, SSL_AD_UNEXPECTED_MESSAGE, SSL_AD_BAD_RECORD_MAC,
                          SSL_AD_DECODE_ERROR, SSL_AD_RECORD_OVERFLOW}) {
    const TlsError error = of_alert(alert, false);
    EXPECT_NE(error.text.find("bytes from here were changed"), std::string::npos) << alert << ": " << error.text;
    EXPECT_FALSE(error.refused);
  }
}

TEST(TlsErrorTest, AVersionIsNamedDuringTheHandshake) {
  EXPECT_EQ(of_alert(SSL_AD_PROTOCOL_VERSION, true).text, "it does not speak TLS 1.3 as this version of sotto does");
}

TEST(TlsErrorTest, ACertificateThatIsNotTrustedIsRefused) {
  const TlsError error = of_alert(SSL_AD_UNKNOWN_CA, true);
  EXPECT_TRUE(error.refused);
  EXPECT_NE(error.text.find("certificate 1234"), std::string::npos) << error.text;
}

}  // namespace
}  // namespace sotto::net
