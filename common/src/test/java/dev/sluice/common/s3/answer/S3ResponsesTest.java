package dev.sluice.common.s3.answer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Errors;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.store.StoreException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class S3ResponsesTest {
    private static final RequestHead GET = head("GET");
    private static final RequestHead HEAD = head("HEAD");

    @Test
    void anErrorIsADocument() {
        var response = S3Responses.error(new StoreException.NoSuchKey("k<"), GET);
        assertThat(response.status()).isEqualTo(404);
        assertThat(response.headers().first("content-type")).contains("application/xml");
        assertThat(Xml.parse(((ResponseBody.Bytes) response.body()).bytes()))
                .containsExactly(
                        "Error",
                        "Code=NoSuchKey",
                        "Message=The specified key does not exist.",
                        "Key=k<",
                        "Resource=/b/k%3C&",
                        "RequestId=request-1");
    }

    @Test
    void headHasNoBody() {
        assertThat(S3Responses.error(new StoreException.NoSuchKey("k"), HEAD))
                .isEqualTo(Response.of(404, Headers.EMPTY, ResponseBody.NONE));
        var unavailable = S3Responses.error(new StoreException.Unavailable("starting"), HEAD);
        assertThat(unavailable.body()).isSameAs(ResponseBody.NONE);
        assertThat(unavailable.headers().first("Retry-After")).contains("1");
    }

    @Test
    void notModifiedKeepsWhatCachesGoByAndHasNoBody() {
        var modified = Instant.parse("2026-02-03T04:05:06.789Z");
        var response = S3Responses.error(
                new StoreException.NotModified("e-2", modified, Map.of("Cache-Control", "max-age=3")), GET);
        assertThat(response.status()).isEqualTo(304);
        assertThat(response.headers().first("ETag")).contains("\"e-2\"");
        assertThat(response.headers().first("Last-Modified")).contains("Tue, 03 Feb 2026 04:05:06 GMT");
        assertThat(response.headers().first("Cache-Control")).contains("max-age=3");
        assertThat(response.headers().has("Content-Type")).isFalse();
        assertThat(response.body()).isSameAs(ResponseBody.NONE);
    }

    @Test
    void headersThatSayWhatToDo() {
        var range = S3Responses.error(new StoreException.RangeNotSatisfiable(10), GET);
        assertThat(range.status()).isEqualTo(416);
        assertThat(range.headers().first("Content-Range")).contains("bytes */10");
        var later = S3Responses.error(new StoreException.Unavailable("soon", Duration.ofMillis(2500)), GET);
        assertThat(later.headers().all("Retry-After")).containsExactly("3");
        var drive = S3Responses.error(new StoreException.DriveFailed("d", new IllegalStateException()), GET);
        assertThat(drive.headers().all("Retry-After")).containsExactly("1");
        var method = S3Responses.error(S3Failure.methodNotAllowed("PATCH", "GET, PUT"), GET);
        assertThat(method.status()).isEqualTo(405);
        assertThat(method.headers().first("Allow")).contains("GET, PUT");
    }

    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of(new StoreException.NoSuchBucket("b"), List.of("BucketName=b")),
                Arguments.of(new StoreException.BucketNotEmpty("b"), List.of("BucketName=b")),
                Arguments.of(new StoreException.NoSuchUpload("u"), List.of("UploadId=u")),
                Arguments.of(
                        new StoreException.RangeNotSatisfiable(3),
                        List.of("ActualObjectSize=3", "RangeRequested=bytes=5-")),
                Arguments.of(
                        new StoreException.EntityTooSmall(2, 7, 100, "e"),
                        List.of("ProposedSize=7", "MinSizeAllowed=100", "PartNumber=2", "ETag=e")),
                Arguments.of(new StoreException.EntityTooLarge(7, 5), List.of("ProposedSize=7", "MaxSizeAllowed=5")),
                Arguments.of(
                        new StoreException.BadDigest("no", "a", "b"),
                        List.of("ExpectedDigest=a", "CalculatedDigest=b")),
                Arguments.of(new StoreException.BadDigest("no"), List.of()),
                Arguments.of(new StoreException.InvalidArgument("no"), List.of()),
                Arguments.of(
                        new StoreException.InvalidArgument("partNumber", "0", "no"),
                        List.of("ArgumentName=partNumber", "ArgumentValue=0")),
                Arguments.of(new StoreException.IncompleteBody("broke off"), List.of()),
                Arguments.of(
                        new StoreException.IncompleteBody(9, 4),
                        List.of("NumberBytesExpected=9", "NumberBytesProvided=4")),
                Arguments.of(new StoreException.InvalidPart(3, "is not there"), List.of("PartNumber=3")),
                Arguments.of(new StoreException.PreconditionFailed("If-Match"), List.of("Condition=If-Match")));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void anErrorSaysWhatS3Says(StoreException failure, List<String> elements) {
        var asked = new RequestHead(
                "GET", "/b/k", "", Headers.of("Range", "bytes=5-"), 0, GET.remote(), false, "request-1");
        var document = Xml.parse(
                ((ResponseBody.Bytes) S3Responses.error(failure, asked).body()).bytes());
        assertThat(document.subList(3, document.size() - 2)).isEqualTo(elements);
    }

    @ParameterizedTest
    @EnumSource
    void noErrorHasMoreValuesThanElements(S3Code code) {
        var values = code.elements().toArray(String[]::new);
        assertThat(code.error("m", values).values()).isEqualTo(code.elements());
        var more = Arrays.copyOf(values, values.length + 1);
        more[values.length] = "v";
        assertThatIllegalArgumentException().isThrownBy(() -> code.error("m", more));
    }

    @Test
    void nothingUnknownLooksLikeAbsence() {
        var cause = new IllegalStateException();
        for (StoreException failure : List.of(
                new StoreException.Unavailable("u"),
                new StoreException.DriveFailed("d", cause),
                new StoreException.BackendUnavailable("b", cause),
                new StoreException.Damaged("x"),
                new StoreException.NoSpace("full"))) {
            assertThat(S3Errors.of(failure).status()).isGreaterThanOrEqualTo(500);
        }
    }

    private static RequestHead head(String method) {
        var client = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        return new RequestHead(method, "/b/k%3C&", "", Headers.EMPTY, 0, client, false, "request-1");
    }
}
