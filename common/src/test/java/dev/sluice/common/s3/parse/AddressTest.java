package dev.sluice.common.s3.parse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.name.ObjectName;
import dev.sluice.common.s3.S3Request;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "/b/key|b|key",
                "/b/a//b|b|a//b",
                "/b/a/|b|a/",
                "/b//a|b|/a",
                "/b//|b|/",
                "/b/.|b|.",
                "/b/..|b|..",
                "/b/../../etc/passwd|b|../../etc/passwd",
                "/b/%2e%2E/x|b|../x",
                "/b/a+b|b|a+b",
                "/b/a%20b%2Bc%2525|b|a b+c%25",
                "/b/%C3%A9%F0%9F%98%80|b|é\uD83D\uDE00",
                "/b/\u00C3\u00A9|b|é",
                "/b/?x|b|",
                "/b/a%2Fb|b|a/b",
                "/s3/b/key|b|key",
                "/s3/s3/key|s3|key",
                "/s3/b/s3/k|b|s3/k",
                "/s3x/k|s3x|k",
            })
    void keysAreTakenAsTheyAre(String path, String bucket, String key) {
        var request = Requests.parse("GET " + path);
        if (key == null) {
            assertThat(request).isInstanceOf(S3Request.ListObjects.class);
        } else {
            assertThat(((S3Request.OnObject) request).name()).isEqualTo(new ObjectName(bucket, key));
        }
    }

    @Test
    void controlCharactersAreLegalInAKey() {
        assertThat(Requests.parse(S3Request.GetObject.class, "GET /b/%E2%82%AC%0A%01")
                        .name()
                        .key())
                .isEqualTo("\u20AC\n\u0001");
        assertThat(Requests.parse(S3Request.GetObject.class, "GET /b/a%00b")
                        .name()
                        .key())
                .isEqualTo("a\0b");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/b/%",
                "/b/%4",
                "/b/%4g",
                "/b/%zz",
                "/b/%+1",
                "/b/%-1",
                "/b/%80",
                "/b/%C3",
                "/b/%C3%28",
                "/b/%C0%80",
                "/b/%C0%AF",
                "/b/%E0%80%AF",
                "/b/%F0%80%80%AF",
                "/b/%ED%A0%80",
                "/b/%F4%90%80%80",
                "/b/%FF",
                "/b/\u00E9",
                "/b/€",
                "/b%FF",
                "b/k",
                "*",
                "/b?prefix=%FF",
                "/b/k?%C0%80=1",
                "/b/%\uFF11\uFF11",
            })
    void whatIsNotUtf8IsAnInvalidUri(String path) {
        assertThat(Requests.refusal("GET " + path)).isEqualTo("400 InvalidURI");
    }

    @Test
    void aKeyHas1024BytesAtMost() {
        assertThat(Requests.refusal("GET /b/" + "k".repeat(1024))).startsWith("GetObject");
        assertThat(Requests.refusal("GET /b/" + "k".repeat(1025))).isEqualTo("400 KeyTooLongError");
        assertThat(Requests.refusal("GET /b/" + "%C3%A9".repeat(512))).startsWith("GetObject");
        assertThat(Requests.refusal("GET /b/x" + "%C3%A9".repeat(512))).isEqualTo("400 KeyTooLongError");
        assertThat(Requests.refusal("GET /b/" + "%F0%9F%98%80".repeat(256))).startsWith("GetObject");
        assertThat(Requests.refusal("GET /b/" + "%F0%9F%98%80".repeat(257))).isEqualTo("400 KeyTooLongError");
    }

    @ParameterizedTest
    @CsvSource({
        "my-bucket.s3.example.com, /k, my-bucket, k",
        "my-bucket.s3.example.com:8080, /k, my-bucket, k",
        "My-Bucket.S3.Example.COM, /k, my-bucket, k",
        "my.bucket.s3.example.com, //k, my.bucket, /k",
        "my-bucket.s3.example.com, /v1/k, my-bucket, v1/k",
        "my-bucket.s3.example.com, /s3/k, my-bucket, s3/k",
        "s3.example.com, /b/k, b, k",
        "127.0.0.1:8080, /b/k, b, k",
        "evils3.example.com, /b/k, b, k",
    })
    void theHostMayNameTheBucket(String host, String path, String bucket, String key) {
        var parser = new S3RequestParser(List.of("s3.example.com"));
        var request = parser.parse(Requests.head("GET " + path, "Host", host));
        assertThat(((S3Request.OnObject) request).name()).isEqualTo(new ObjectName(bucket, key));
    }

    @ParameterizedTest
    @CsvSource({
        "a.s3.example.com, a",
        "a.example.com, a",
        "a.b.example.com, a.b",
        "a.localhost:8080, a",
        "localhost, ''",
        "LOCALHOST:8080, ''",
        "s3.example.com, ''",
        "example.com:80, ''",
        ".localhost, ''",
        "notlocalhost, ''",
        "'[::1]:8080', ''",
        "127.0.0.1:8080, ''",
    })
    void theLongestBaseDomainCountsAndNoneIsABucketItself(String host, String bucket) {
        var parser = new S3RequestParser(List.of("Example.com", "s3.example.com", "localhost"));
        var found = parser.hostBucket(Requests.head("GET /", "Host", host).headers());
        assertThat(found.orElse("")).isEqualTo(bucket);
    }

    @Test
    void theRootBelowABucketsHostIsTheBucket() {
        var parser = new S3RequestParser(List.of("s3.example.com"));
        assertThat(parser.parse(Requests.head("HEAD /", "Host", "data.s3.example.com")))
                .isEqualTo(new S3Request.HeadBucket("data"));
        assertThat(parser.hostBucket(
                        Requests.head("GET /", "Host", "s3.example.com").headers()))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ab",
                "A-bucket",
                "a_bucket",
                "-abc",
                "abc-",
                ".abc",
                "abc.",
                "a..b",
                "192.168.5.4",
                "xn--abc",
                "sthree-abc",
                "abc-s3alias",
                "abc--ol-s3",
                "abc--x-s3",
                "v1",
                "metrics",
                "health",
                "s3",
                "a%20b",
                "a%2Fb",
                "a%00b",
                "%2e%2e",
                "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcd",
            })
    void illegalBucketsAreNotMade(String bucket) {
        assertThat(Requests.refusal("PUT /s3/" + bucket)).isEqualTo("400 InvalidBucketName");
    }

    @ParameterizedTest
    @ValueSource(strings = {"abc", "a-b", "a.b.c", "1.2.3", "123", "v1a", "metrics2", "1.2.3.4.5"})
    void legalBucketsAreMade(String bucket) {
        assertThat(Requests.parse("PUT /" + bucket)).isEqualTo(new S3Request.CreateBucket(bucket));
        assertThat(Requests.parse("PUT /" + bucket + "/")).isEqualTo(new S3Request.CreateBucket(bucket));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/..", "/../k", "/./k", "/a%2Fb/k", "/a%00/k", "//k", "//", "/s3//k"})
    void whatCanBeNoBucketIsRefusedEverywhere(String path) {
        assertThat(Requests.refusal("GET " + path)).isEqualTo("400 InvalidBucketName");
    }
}
