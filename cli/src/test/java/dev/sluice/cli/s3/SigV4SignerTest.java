package dev.sluice.cli.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The examples of Amazon's page "Authenticating Requests: Using the Authorization Header".
final class SigV4SignerTest {
    private static final String EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    private static final URI BUCKET = URI.create("https://examplebucket.s3.amazonaws.com");
    private static final Instant TIME = Instant.parse("2013-05-24T00:00:00Z");
    private final SigV4Signer signer = new SigV4Signer(
            new Credentials("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1"));

    private String authorization(String method, URI uri, Map<String, String> headers, String hash) {
        return signer.sign(method, uri, headers, hash, TIME).getOrDefault("authorization", "");
    }

    @Test
    void getObject() {
        assertThat(authorization(
                        "GET", S3Address.of(BUCKET, "/test.txt", Map.of()), Map.of("Range", "bytes=0-9"), EMPTY))
                .isEqualTo("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                        + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
                        + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
    }

    @Test
    void putObjectWithACharacterToEncode() {
        var headers = Map.of("Date", "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class", "REDUCED_REDUNDANCY");
        var hash = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072";
        assertThat(authorization("PUT", S3Address.of(BUCKET, "/test$file.text", Map.of()), headers, hash))
                .endsWith("Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
    }

    @Test
    void aParameterWithoutValue() {
        assertThat(authorization("GET", URI.create(BUCKET + "/?lifecycle"), Map.of(), EMPTY))
                .endsWith("Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
    }

    @Test
    void listObjects() {
        var uri = S3Address.of(BUCKET, "/", Map.of("prefix", "J", "max-keys", "2"));
        assertThat(authorization("GET", uri, Map.of(), EMPTY))
                .endsWith("Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
    }

    @Test
    void keysAreEncodedByteForByte() {
        assertThat(S3Address.of(URI.create("http://h:1"), "/b/ü //../a+b%", Map.of("x", "a/b c")))
                .hasToString("http://h:1/b/%C3%BC%20//../a%2Bb%25?x=a%2Fb%20c");
    }
}
