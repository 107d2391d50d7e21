package dev.sluice.bench.signing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

/// The examples of Amazon's S3 reference ("Authenticating Requests: Using the Authorization Header").
class SignerTest {
    private static final Instant TIME = Instant.parse("2013-05-24T00:00:00Z");
    private static final String HOST = "examplebucket.s3.amazonaws.com";

    private final Signer signer = new Signer(
            new Credentials("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1"));

    @Test
    void listingIsSignedAsAmazonShows() {
        assertThat(signer.headerLines("GET", HOST, "/", "max-keys=2&prefix=J", PayloadHash.EMPTY, TIME))
                .contains("34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
                .contains("AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request");
    }

    @Test
    void aSubresourceIsSignedAsAmazonShows() {
        assertThat(signer.headerLines("GET", HOST, "/", "lifecycle=", PayloadHash.EMPTY, TIME))
                .contains("fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
    }

    @Test
    void theKeyOfTheDayChangesWithTheDay() {
        String today = signature(TIME);
        assertThat(signature(TIME.plusSeconds(86_400))).isNotEqualTo(today);
        assertThat(signature(TIME)).isEqualTo(today);
    }

    private String signature(Instant time) {
        String lines = signer.headerLines("PUT", HOST, "/a", "", PayloadHash.UNSIGNED, time);
        return lines.substring(lines.indexOf("Signature="));
    }
}
