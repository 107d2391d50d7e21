package dev.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The examples of Amazon's page "Authenticating Requests: Using the Authorization Header".
final class SigV4SignerTest {
    private static final String HOST = "examplebucket.s3.amazonaws.com";
    private static final Instant TIME = Instant.parse("2013-05-24T00:00:00Z");
    private final SigV4Signer signer = new SigV4Signer(
            new Credentials("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1"));

    private String authorization(String method, String path, String query, Map<String, String> headers, String hash) {
        return signer.sign(method, HOST, path, query, headers, hash, TIME).getOrDefault("authorization", "");
    }

    @Test
    void getObject() {
        assertThat(authorization("GET", "/test.txt", "", Map.of("Range", "bytes=0-9"), SigV4Signer.EMPTY))
                .isEqualTo("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                        + " SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
                        + " Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
    }

    @Test
    void putObjectWithACharacterToEncode() {
        var headers = Map.of("Date", "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class", "REDUCED_REDUNDANCY");
        var hash = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072";
        assertThat(authorization("PUT", "/test%24file.text", "", headers, hash))
                .endsWith("Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
    }

    @Test
    void aParameterWithoutValue() {
        assertThat(authorization("GET", "/", "lifecycle=", Map.of(), SigV4Signer.EMPTY))
                .endsWith("Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
    }

    @Test
    void listObjects() {
        assertThat(authorization("GET", "/", "max-keys=2&prefix=J", Map.of(), SigV4Signer.EMPTY))
                .endsWith("Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
    }

    @Test
    void whatIsSentIsWhatWasSigned() {
        assertThat(signer.sign("PUT", HOST, "/a", "", Map.of("Range", " x "), SigV4Signer.UNSIGNED, TIME))
                .containsEntry("range", "x")
                .containsEntry("x-amz-content-sha256", "UNSIGNED-PAYLOAD")
                .containsEntry("x-amz-date", "20130524T000000Z")
                .containsOnlyKeys("authorization", "range", "x-amz-content-sha256", "x-amz-date");
    }

    @Test
    void theKeyOfTheDayChangesWithTheDay() {
        var today = signature(TIME);
        assertThat(signature(TIME.plusSeconds(86_400))).isNotEqualTo(today);
        assertThat(signature(TIME)).isEqualTo(today);
    }

    private String signature(Instant time) {
        var signed = signer.sign("PUT", HOST, "/a", "", Map.of(), SigV4Signer.UNSIGNED, time)
                .getOrDefault("authorization", "");
        return signed.substring(signed.indexOf("Signature="));
    }
}
