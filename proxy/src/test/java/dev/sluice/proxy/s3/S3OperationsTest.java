package dev.sluice.proxy.s3;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.s3.parse.S3RequestParser;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class S3OperationsTest {
    private static String name(S3RequestParser parser, Headers headers, String method, String path, String query) {
        var remote = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        var operations = new S3Operations(parser);
        var head = new RequestHead(method, path, query, headers, 0, remote, false, "request1");
        assertThat(operations.names()).contains(operations.of(head));
        return operations.of(head);
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /b/k, '', get_object",
        "GET, /b/f/k, partNumber=2, get_object",
        "GET, /b/k, uploadId=u, multipart",
        "HEAD, /b/k, '', head_object",
        "PUT, /b/k, '', put_object",
        "PUT, /b/k, partNumber=1&uploadId=u, upload_part",
        "POST, /b/k, uploads, multipart",
        "DELETE, /b/k, '', delete_object",
        "DELETE, /b/k, uploadId=u, multipart",
        "GET, /b, list-type=2, list",
        "GET, /b/, '', list",
        "GET, /b, policy, bucket",
        "GET, /, '', list",
        "PUT, /b, '', bucket",
        "POST, /b, delete, delete_objects",
        "OPTIONS, /b, '', bucket",
        "OPTIONS, /b/k, '', other",
        "GET, /v1/buckets, '', native",
        "POST, /v1/peer/list, '', peer",
        "GET, /metrics, '', other",
    })
    void requestsHaveTheNameOfTheirOperation(String method, String path, String query, String name) {
        assertThat(name(new S3RequestParser(), Headers.EMPTY, method, path, query))
                .isEqualTo(name);
    }

    @Test
    void aCopyIsKnownByItsSource() {
        var headers = Headers.of("x-amz-copy-source", "/b/other");
        assertThat(name(new S3RequestParser(), headers, "PUT", "/b/k", "")).isEqualTo("copy_object");
    }

    @Test
    void aBucketInTheHostLeavesThePathToTheKey() {
        var parser = new S3RequestParser(List.of("s3.example.com"));
        var headers = Headers.of("Host", "b.s3.example.com:8080");
        assertThat(name(parser, headers, "GET", "/v1/buckets", "")).isEqualTo("get_object");
        assertThat(name(parser, headers, "GET", "/", "list-type=2")).isEqualTo("list");
    }
}
