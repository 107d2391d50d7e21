package dev.sluice.common.s3.body;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.auth.AccessKey;
import dev.sluice.common.auth.Authenticator;
import dev.sluice.common.auth.KeyRing;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The two examples of 66 560 bytes in the Amazon S3 API reference, "Signature Calculations for the Authorization
/// Header: Transferring Payload in Multiple Chunks", without and with trailing headers.
class AmazonsExampleTest {
    private static final int CHUNK = 65_536;
    private static final int REST = 1024;

    @Test
    void signedChunks() throws IOException {
        var head = head(
                "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
                "content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;"
                        + "x-amz-decoded-content-length;x-amz-storage-class",
                "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
                Headers.of("Content-Length", "66824"));
        var wire = wire(
                "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
                "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
                "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
                "\r\n");
        assertThat(wire).hasSize(66_824);
        assertDecodes(head, wire, Map.of());
    }

    @Test
    void signedChunksWithATrailer() throws IOException {
        var head = head(
                "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
                "content-encoding;host;x-amz-content-sha256;x-amz-date;"
                        + "x-amz-decoded-content-length;x-amz-storage-class;x-amz-trailer",
                "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e",
                Headers.of("x-amz-trailer", "x-amz-checksum-crc32c"));
        for (var lineEnd : new String[] {"\r\n", "\n\r\n"}) {
            var wire = wire(
                    "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2",
                    "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7",
                    "2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992",
                    "x-amz-checksum-crc32c:sOO8/Q==" + lineEnd + "x-amz-trailer-signature:"
                            + "d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n");
            assertDecodes(head, wire, Map.of(ChecksumAlgorithm.CRC32C, "sOO8/Q=="));
        }
    }

    private static void assertDecodes(RequestHead head, byte[] wire, Map<ChecksumAlgorithm, String> trailers)
            throws IOException {
        var ring = KeyRing.of(new AccessKey("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"));
        var caller = Authenticator.of(() -> ring, "us-east-1", () -> Instant.parse("2013-05-24T00:00:00Z"))
                .authenticate(head);
        var decoded = Decoded.read(new Framing.Message(wire, head, caller.body()), _ -> 10_000);
        assertThat(decoded.bytes()).hasSize(CHUNK + REST).containsOnly('a');
        assertThat(decoded.trailers()).isEqualTo(trailers);
    }

    private static RequestHead head(String payload, String signedHeaders, String signature, Headers more) {
        var headers = Headers.builder()
                .add("Host", "s3.amazonaws.com")
                .add("x-amz-date", "20130524T000000Z")
                .add("x-amz-storage-class", "REDUCED_REDUNDANCY")
                .add("x-amz-content-sha256", payload)
                .add("Content-Encoding", "aws-chunked")
                .add("x-amz-decoded-content-length", "66560")
                .add(
                        "Authorization",
                        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                                + "SignedHeaders=" + signedHeaders + ",Signature=" + signature)
                .addAll(more)
                .build();
        var remote = InetSocketAddress.createUnresolved("client", 1);
        return new RequestHead(
                "PUT", "/examplebucket/chunkObject.txt", "", headers, RequestHead.UNKNOWN_LENGTH, remote, false, "r");
    }

    private static byte[] wire(String first, String second, String last, String end) {
        var wire = new ByteArrayOutputStream();
        wire.writeBytes(ascii("10000;chunk-signature=" + first + "\r\n"));
        wire.writeBytes(ascii("a".repeat(CHUNK) + "\r\n400;chunk-signature=" + second + "\r\n"));
        wire.writeBytes(ascii("a".repeat(REST) + "\r\n0;chunk-signature=" + last + "\r\n" + end));
        return wire.toByteArray();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
