package dev.sluice.common.s3.parse;

import static org.assertj.core.api.Assertions.fail;

import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.store.StoreException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Whatever comes, the answer is a request or a refusal by S3's own codes, never another exception (which would be
/// a 500).
class HostileRequestsTest {
    private static final InetSocketAddress CLIENT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    private static final String[] METHODS = {"GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS", ""};
    private static final String[] PIECES = {
        "/",
        "//",
        "abc",
        "k",
        "..",
        "%",
        "%2F",
        "%00",
        "%C3",
        "%A9",
        "%F0%9F%98%80",
        "+",
        "&",
        "=",
        "?",
        "uploadId",
        "partNumber",
        "max-keys",
        "1",
        "-1",
        "99999999999999999999",
        "delete",
        "uploads",
        "policy",
        "versionId",
        "null",
        "list-type=2",
        "continuation-token",
        "AQ",
        "encoding-type=url",
        "x-amz-copy-source=",
        "x-amz-meta-",
        "X-Amz-Signature",
        "é",
        "\u0000",
        ",",
        "-",
        "bytes=",
        "bytes=-",
        "\"",
        "*",
        "GMT",
        "2026-11-21T07:08:09Z",
        " ",
        "AAAAAA==",
        "response-expires=",
    };
    private static final String[] NAMES = {
        "",
        "x",
        "x-amz-",
        "x-amz-acl",
        "x-amz-meta-",
        "x-amz-meta-a",
        "x-amz-checksum-",
        "x-amz-checksum-crc32",
        "range",
        "if-match",
        "if-range",
        "if-modified-since",
        "content-md5",
        "x-amz-copy-source",
        "x-amz-copy-source-range",
        "x-amz-trailer",
        "x-amz-checksum-type",
        "x-amz-checksum-mode",
        "x-amz-checksum-algorithm",
        "x-amz-mp-object-size",
        "host",
        "content-encoding",
        "x-amz-metadata-directive",
        "x-amz-storage-class",
        "x-amz-copy-source-if-modified-since",
    };
    private static final String[] XML = {
        "<Delete>",
        "</Delete>",
        "<Object>",
        "</Object>",
        "<Key>",
        "</Key>",
        "<Quiet>",
        "</Quiet>",
        "<VersionId>",
        "<Part>",
        "</Part>",
        "<PartNumber>",
        "</PartNumber>",
        "<ETag>",
        "</ETag>",
        "<CompleteMultipartUpload>",
        "</CompleteMultipartUpload>",
        "<ChecksumCRC32>",
        "<CreateBucketConfiguration>",
        "<LocationConstraint>",
        "k",
        "1",
        "&amp;",
        "&#0;",
        "&x;",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "<?x ?>",
        "<?xml version=\"1.1\"?>",
        "<!DOCTYPE a>",
        " xmlns:a=\"b\"",
        "<a:b/>",
        "é",
        "\u0001",
        "\"",
        "<",
        ">",
    };

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void heads(long seed) {
        var random = new Random(seed);
        var parser = new S3RequestParser(List.of("abc"));
        for (int i = 0; i < 15_000; i++) {
            var headers = Headers.builder();
            for (int count = random.nextInt(4); count > 0; count--) {
                headers.add(pick(NAMES, random), pieces(PIECES, 3, random));
            }
            var path = (random.nextInt(20) == 0 ? "" : "/") + pieces(PIECES, 5, random);
            var head = new RequestHead(
                    pick(METHODS, random), path, pieces(PIECES, 6, random), headers.build(), 0, CLIENT, false, "r");
            onlyRefusals(seed, head, () -> parser.parse(head));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void bodies(long seed) {
        var random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            var text = (random.nextBoolean() ? pick(XML, random) : "<Delete><Object>") + pieces(XML, 12, random);
            var body = text.getBytes(StandardCharsets.UTF_8);
            if (body.length > 0 && random.nextInt(4) == 0) {
                body[random.nextInt(body.length)] = (byte) random.nextInt(256);
            }
            onlyRefusals(seed, text, () -> S3Bodies.deleteObjects(body));
            onlyRefusals(seed, text, () -> S3Bodies.completeMultipartUpload(body));
            onlyRefusals(seed, text, () -> S3Bodies.createBucket(body, "us-east-1"));
        }
    }

    private static void onlyRefusals(long seed, Object input, Runnable parse) {
        try {
            parse.run();
        } catch (S3Failure | StoreException _) {
            // A refusal is a right answer to nonsense.
        } catch (RuntimeException failure) {
            fail("seed %d, %s".formatted(seed, input), failure);
        }
    }

    private static String pieces(String[] from, int most, Random random) {
        var text = new StringBuilder();
        for (int count = random.nextInt(most + 1); count > 0; count--) {
            text.append(pick(from, random));
        }
        return text.toString();
    }

    private static String pick(String[] from, Random random) {
        return from[random.nextInt(from.length)];
    }
}
