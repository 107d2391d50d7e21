package dev.sluice.common.s3.parse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.s3.ByteRange;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.DeleteConditions;
import dev.sluice.common.s3.ObjectAttribute;
import dev.sluice.common.s3.S3Action;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Error;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.ShardMember;
import dev.sluice.common.s3.SigV2Parameters;
import dev.sluice.common.s3.listing.ContinuationToken;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class S3RequestParserTest {
    private static final String MD5_OF_NOTHING = "1B2M2Y8AsgTpgAmY7PhCfg==";

    static Stream<S3Action> refused() {
        return Stream.of(S3Action.values()).filter(action -> action.serving() == S3Action.Serving.REFUSED);
    }

    static Stream<S3Action> settings() {
        return Stream.of(S3Action.values()).filter(action -> action.setting().isPresent());
    }

    /// The SDK for JavaScript signs the checksum of an empty body into URLs that others upload by.
    @Test
    void aChecksumInAQueryIsNotLookedAt() {
        var put = Requests.parse(
                S3Request.PutObject.class,
                "PUT /abc/k?x-amz-checksum-crc32=AAAAAA%3D%3D&x-amz-sdk-checksum-algorithm=CRC32&x-amz-meta-a=b");
        assertThat(put.attributes().checksums()).isEmpty();
        assertThat(put.attributes().declared()).isEmpty();
        assertThat(put.attributes().userMetadata()).containsExactly(Map.entry("a", "b"));
        assertThat(Requests.parse(S3Request.PutObject.class, "PUT /abc/k", "x-amz-checksum-crc32", "AAAAAA==")
                        .attributes()
                        .checksums())
                .hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET /|ListBuckets",
                "GET /s3|ListBuckets",
                "GET /s3/|ListBuckets",
                "GET /?x-id=ListBuckets&max-buckets=1000|ListBuckets",
                "PUT /abc|CreateBucket",
                "HEAD /abc|HeadBucket",
                "DELETE /abc/|DeleteBucket",
                "GET /abc?location|GetBucketLocation",
                "GET /abc?location=|GetBucketLocation",
                "GET /abc?versioning|GetBucketVersioning",
                "GET /abc?policy|GetBucketDocument",
                "PUT /abc?policy|PutBucketDocument",
                "DELETE /abc?policy|DeleteBucketDocument",
                "GET /abc|ListObjects",
                "GET /abc?list-type=2|ListObjects",
                "GET /abc?uploads|ListMultipartUploads",
                "POST /abc?delete|DeleteObjects",
                "GET /abc/k|GetObject",
                "GET /abc/k?x-id=GetObject|GetObject",
                "GET /abc/k?X-Amz-Signature=1&X-Amz-Expires=3&AWSAccessKeyId=a&Signature=b&Expires=1|GetObject",
                "GET /abc/k?x-sluice-token=t|GetObject",
                "GET /abc/k?unknown=1|GetObject",
                "GET /abc/k?versionId=null|GetObject",
                "GET /abc?cors|GetBucketDocument",
                "GET /abc?encryption|GetBucketSetting",
                "GET /abc?inventory&id=1|GetBucketSetting",
                "GET /abc?acl|GetBucketSetting",
                "GET /abc?tagging|GetBucketDocument",
                "GET /abc?versions|ListObjectVersions",
                "GET /abc/k?acl|GetObjectAcl",
                "GET /abc/k?tagging&versionId=null|GetObjectTagging",
                "HEAD /abc/k|HeadObject",
                "PUT /abc/k|PutObject",
                "PUT /abc/k?partNumber=1&uploadId=u|UploadPart",
                "PUT /abc/k/|PutObject",
                "DELETE /abc/k|DeleteObject",
                "POST /abc/k?uploads|CreateMultipartUpload",
                "PUT /abc/k?uploadId=u&partNumber=1|UploadPart",
                "GET /abc/k?uploadId=u|ListParts",
                "POST /abc/k?uploadId=u|CompleteMultipartUpload",
                "DELETE /abc/k?uploadId=u|AbortMultipartUpload",
            })
    void theActionsWeServe(String line, String action) {
        assertThat(Requests.parse(line).getClass().getSimpleName()).isEqualTo(action);
    }

    @ParameterizedTest
    @MethodSource("refused")
    void whatS3HasAndWeDoNotIsNamed(S3Action action) {
        for (var line :
                new String[] {"GET /abc", "PUT /abc", "GET /abc/k", "PUT /abc/k", "POST /abc/k", "DELETE /abc/k"}) {
            var asked = line + "?" + action.parameter();
            boolean here = action.method().equals(line.substring(0, line.indexOf(' ')))
                    && (action.on() == S3Action.On.OBJECT) == line.endsWith("/k");
            if (here && !action.parameter().isEmpty()) {
                assertThatThrownBy(() -> Requests.parse(asked)).isInstanceOfSatisfying(S3Failure.class, failure -> {
                    assertThat(failure.error().status()).isEqualTo(501);
                    assertThat(failure.error().code()).isEqualTo("NotImplemented");
                    assertThat(failure.error().message()).contains(action.title(), "?" + action.parameter());
                });
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"retention", "legal-hold", "torrent", "select", "restore", "session", "append"})
    void noParameterOfOthersIsIgnored(String parameter) {
        for (var line :
                new String[] {"GET /abc", "PUT /abc", "GET /abc/k", "PUT /abc/k", "POST /abc/k", "DELETE /abc/k"}) {
            assertThat(Requests.refusal(line + "?" + parameter)).isEqualTo("501 NotImplemented");
        }
    }

    @ParameterizedTest
    @MethodSource("settings")
    void whatIsNotConfiguredIsToldAndNotChanged(S3Action action) {
        var parameter = action.parameter();
        assertThat(Requests.parse(S3Request.GetBucketSetting.class, "GET /abc?x-id=a&" + parameter)
                        .setting())
                .isEqualTo(action.setting().get());
        for (var line : new String[] {"PUT /abc", "DELETE /abc", "POST /abc", "PUT /abc/k", "DELETE /abc/k"}) {
            assertThat(Requests.refusal(line + "?" + parameter))
                    .isIn("501 NotImplemented", "405 MethodNotAllowed", "400 AccessControlListNotSupported");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PUT /abc?versioning|501 NotImplemented",
                "GET /abc/k?versionId=3|400 InvalidArgument",
                "GET /abc/k?versionId=|400 InvalidArgument",
                "GET /abc/k?versionId=3sL4kqtJlcpXroDTDmJ.rmSpXd3dIbrHY|404 NoSuchVersion",
                "DELETE /abc/k?versionId=3sL4kqtJlcpXroDTDmJ.rmSpXd3dIbrHY|404 NoSuchVersion",
                "GET /abc/k?tagging&versionId=3|400 InvalidArgument",
                "GET /abc?versions&version-id-marker=null|400 InvalidArgument",
                "GET /abc/k?versions|405 MethodNotAllowed",
                "PUT /abc/k?acl|400 AccessControlListNotSupported",
                "GET /abc/k?cors|405 MethodNotAllowed",
                "GET /abc/k?encryption|501 NotImplemented",
                "GET /?encryption|501 NotImplemented",
                "POST /abc|501 NotImplemented",
                "POST /|405 MethodNotAllowed",
                "PUT /|405 MethodNotAllowed",
                "GET /?location|405 MethodNotAllowed",
                "PATCH /abc|405 MethodNotAllowed",
                "OPTIONS /abc/k|405 MethodNotAllowed",
                "PUT /abc?location|405 MethodNotAllowed",
                "GET /abc?delete|405 MethodNotAllowed",
                "POST /abc?uploads|405 MethodNotAllowed",
                "DELETE /abc?versioning|405 MethodNotAllowed",
                "HEAD /abc?policy|405 MethodNotAllowed",
                "POST /abc/k|405 MethodNotAllowed",
                "GET /abc/k?uploads|405 MethodNotAllowed",
                "GET /abc/k?policy|405 MethodNotAllowed",
                "PUT /abc/k?policy|405 MethodNotAllowed",
                "DELETE /abc/k?delete|405 MethodNotAllowed",
                "HEAD /abc/k?uploadId=u|405 MethodNotAllowed",
                "get /abc/k|405 MethodNotAllowed",
                "GET /abc?policy&location|400 InvalidArgument",
                "PUT /abc/k?uploadId=u|400 InvalidArgument",
                "PUT /abc/k?partNumber=1|400 InvalidArgument",
                "PUT /abc/k?uploadId=&partNumber=1|400 InvalidArgument",
                "PUT /abc/k?uploadId=u&partNumber=0|400 InvalidArgument",
                "PUT /abc/k?uploadId=u&partNumber=10001|400 InvalidArgument",
                "PUT /abc/k?uploadId=u&partNumber=x|400 InvalidArgument",
                "GET /abc/k?partNumber=|400 InvalidArgument",
                "GET /abc/k?sample=|400 InvalidArgument",
                "GET /abc/k?sample=-1|400 InvalidArgument",
                "GET /abc/k?sample=2147483648|400 InvalidArgument",
                "GET /abc/k?sample=1&count=0|400 InvalidArgument",
                "GET /abc/k?sample=1&samples|400 InvalidRequest",
                "GET /abc/k?sample=1&partNumber=1|400 InvalidRequest",
                "HEAD /abc/k?sample=1|400 InvalidRequest",
                "HEAD /abc/k?samples|400 InvalidRequest",
                "GET /abc/k?partNumber=10001|400 InvalidArgument",
                "GET /abc/k?uploadId=|400 InvalidArgument",
                "GET /abc/k?uploadId=u&max-parts=-1|400 InvalidArgument",
                "GET /abc?uploadId=u|400 InvalidArgument",
                "GET /abc?max-keys=-1|400 InvalidArgument",
                "GET /abc?max-keys=x|400 InvalidArgument",
                "GET /abc?max-keys=99999999999|400 InvalidArgument",
                "GET /abc?encoding-type=base64|400 InvalidArgument",
                "GET /abc?list-type=3|400 InvalidArgument",
                "GET /abc?list-type=2&continuation-token=!|400 InvalidArgument",
                "GET /abc/k?response-content-type=a%0D%0AX:%20y|400 InvalidArgument",
                "GET /abc/k?response-content-disposition=%E2%82%AC|400 InvalidArgument",
            })
    void whatIsRefused(String line, String refusal) {
        assertThat(Requests.refusal(line)).isEqualTo(refusal);
    }

    @ParameterizedTest
    @CsvSource({
        "x-amz-server-side-encryption, aws:kms",
        "x-amz-server-side-encryption, aws:kms:dsse",
        "x-amz-server-side-encryption-context, e30=",
        "x-amz-server-side-encryption-bucket-key-enabled, true",
        "X-Amz-Server-Side-Encryption-Customer-Algorithm, AES256",
        "x-amz-server-side-encryption-aws-kms-key-id, k",
        "x-amz-copy-source-server-side-encryption-customer-key, k",
        "x-amz-grant-read, id=1",
        "x-amz-object-ownership, ObjectWriter",
        "x-amz-rdma-token, 00112233",
        "x-amz-object-lock-mode, GOVERNANCE",
        "x-amz-object-lock-legal-hold, ON",
        "x-amz-website-redirect-location, /x",
        "x-amz-storage-class, GLACIER",
        "x-amz-write-offset-bytes, 0",
        "x-amz-if-match-size, 3",
        "x-amz-object-annotation-directive, REPLACE",
        "Content-Range, bytes 0-9/20",
        "x-amz-copy-source-range, bytes=0-9",
        "x-amz-copy-source-if-match, e",
        "If-Modified-Since, 'Sat, 21 Nov 2026 07:00:00 GMT'",
        "If-Unmodified-Since, 'Sat, 21 Nov 2026 07:00:00 GMT'",
    })
    void headersThatWouldChangeTheMeaningAreRefusedOnWrites(String name, String value) {
        assertThat(Requests.refusal("PUT /abc/k", name, value)).isEqualTo("501 NotImplemented");
    }

    @ParameterizedTest
    @CsvSource({
        "PUT /abc/k, x-amz-acl, public-read, 400 AccessControlListNotSupported",
        "PUT /abc/k, x-amz-acl, everyone, 400 InvalidArgument",
        "PUT /abc/k, x-amz-tagging, a=1&a=2, 400 InvalidTag",
        "POST /abc/k?uploads, x-amz-tagging, a=%, 400 InvalidArgument",
        "PUT /abc, x-amz-acl, public-read, 400 InvalidBucketAclWithObjectOwnership",
        "PUT /abc, x-amz-acl, everyone, 400 InvalidArgument",
        "PUT /abc, x-amz-object-ownership, Nobody, 400 InvalidArgument",
        "PUT /abc, x-amz-object-ownership, BucketOwnerPreferred, 501 NotImplemented",
    })
    void everythingBelongsToTheBucketsOwner(String line, String name, String value, String refusal) {
        assertThat(Requests.refusal(line, name, value)).isEqualTo(refusal);
    }

    @ParameterizedTest
    @CsvSource({
        "x-amz-storage-class, STANDARD",
        "x-amz-tagging-directive, COPY",
        "x-amz-bucket-object-lock-enabled, false",
        "x-amz-object-ownership, BucketOwnerEnforced",
        "x-amz-acl, bucket-owner-full-control",
        "x-amz-expected-bucket-owner, 123456789012",
        "x-amz-request-payer, requester",
        "x-amz-mfa, 1 2",
    })
    void headersThatAskForWhatIsSoAnywayAreAccepted(String name, String value) {
        for (var line : List.of("PUT /abc/k", "GET /abc/k", "DELETE /abc/k", "POST /abc/k?uploads", "GET /abc")) {
            assertThat(Requests.refusal(line, name, value)).as(line).doesNotMatch("[45].*");
        }
    }

    @Test
    void encryptionIsAskedForByWhatBeginsAnObject() {
        String[] header = {"X-Amz-Server-Side-Encryption", "AES256"};
        var put = Requests.parse(S3Request.PutObject.class, "PUT /abc/k", header);
        assertThat(put.attributes().encrypted()).isTrue();
        assertThat(put.attributes().headers()).isEmpty();
        assertThat(Requests.parse(S3Request.PutObject.class, "PUT /abc/k")
                        .attributes()
                        .encrypted())
                .isFalse();
        var presigned = "PUT /abc/k?X-Amz-Server-Side-Encryption=AES256&X-Amz-Signature=1";
        assertThat(Requests.parse(S3Request.PutObject.class, presigned)
                        .attributes()
                        .encrypted())
                .isTrue();
        assertThat(Requests.parse(S3Request.CreateMultipartUpload.class, "POST /abc/k?uploads", header)
                        .attributes()
                        .encrypted())
                .isTrue();
        var copy = Requests.parse(
                S3Request.CopyObject.class, "PUT /abc/k", header[0], header[1], "x-amz-copy-source", "/abc/other");
        assertThat(copy.attributes().encrypted()).isTrue();
        var onItself = Requests.parse(
                S3Request.CopyObject.class, "PUT /abc/k", header[0], header[1], "x-amz-copy-source", "/abc/k");
        assertThat(onItself.attributes().encrypted()).isTrue();
    }

    @Test
    void encryptionOfAnUnknownKindIsAnInvalidArgument() {
        for (var kind : List.of("AES128", "aes256", "", "kms")) {
            assertThatThrownBy(() -> Requests.parse("PUT /abc/k", "x-amz-server-side-encryption", kind))
                    .isInstanceOfSatisfying(S3Failure.class, refused -> {
                        assertThat(refused.error().code()).isEqualTo("InvalidArgument");
                        assertThat(refused.error().values()).containsExactly("x-amz-server-side-encryption", kind);
                    })
                    .hasMessageContaining("The encryption method specified is not supported");
        }
        assertThat(Requests.refusal(
                        "PUT /abc/k",
                        "x-amz-server-side-encryption",
                        "AES256",
                        "x-amz-server-side-encryption",
                        "aws:kms"))
                .isEqualTo("501 NotImplemented");
    }

    @Test
    void encryptionIsNotAskedForByOtherRequests() {
        for (var line : List.of(
                "GET /abc/k",
                "HEAD /abc/k",
                "DELETE /abc/k",
                "GET /abc",
                "PUT /abc",
                "PUT /abc/k?partNumber=1&uploadId=u",
                "POST /abc/k?uploadId=u")) {
            assertThat(Requests.refusal(line, "x-amz-server-side-encryption", "AES256"))
                    .as(line)
                    .isEqualTo("501 NotImplemented");
        }
        assertThat(Requests.refusal(
                        "PUT /abc/k?partNumber=1&uploadId=u",
                        "x-amz-server-side-encryption",
                        "AES256",
                        "x-amz-copy-source",
                        "/abc/other"))
                .isEqualTo("501 NotImplemented");
    }

    @Test
    void refusalOfAKeySaysWhatIsServedAndDoesNotRepeatIt() {
        for (var header : List.of(
                "x-amz-server-side-encryption-customer-key", "x-amz-copy-source-server-side-encryption-customer-key")) {
            assertThatThrownBy(() -> Requests.parse("PUT /abc/k", header, "c2VjcmV0"))
                    .hasMessageContaining("x-amz-server-side-encryption: AES256 is served where")
                    .hasMessageNotContaining("storage.encrypted")
                    .hasMessageNotContaining("c2VjcmV0");
        }
        assertThatThrownBy(() -> Requests.parse("PUT /abc/k", "x-amz-server-side-encryption", "aws:kms"))
                .hasMessageContaining("aws:kms")
                .hasMessageContaining("x-amz-server-side-encryption: AES256 is served where");
    }

    @Test
    void datesAndRangesAreNoConditionsOfLists() {
        for (var line : List.of("GET /abc", "GET /abc/k?uploadId=u")) {
            assertThat(Requests.refusal(line, "If-Modified-Since", "Sat, 21 Nov 2026 07:00:00 GMT"))
                    .doesNotMatch("[45].*");
            assertThat(Requests.refusal(line, "Content-Range", "bytes 0-9/20")).doesNotMatch("[45].*");
        }
    }

    @Test
    void bodyThatWouldComeByRdmaIsRefusedAsItsClientsKnow() {
        assertThatThrownBy(() -> Requests.parse("PUT /abc/k?uploadId=u&partNumber=1", "x-amz-rdma-token", "1"))
                .isInstanceOfSatisfying(
                        S3Failure.class,
                        failure -> assertThat(failure.headers().first("x-amz-rdma-reply"))
                                .contains("501"));
        assertThat(Requests.parse("GET /abc/k", "x-amz-rdma-token", "1")).isInstanceOf(S3Request.GetObject.class);
    }

    @Test
    void aPresignedQueryCarriesHeaders() {
        assertThat(Requests.refusal("PUT /abc/k?x-amz-acl=public-read&X-Amz-Signature=1"))
                .isEqualTo("400 AccessControlListNotSupported");
        assertThat(Requests.refusal("PUT /abc/k?X-Amz-Server-Side-Encryption=aws:kms"))
                .isEqualTo("501 NotImplemented");
        var put = Requests.parse(S3Request.PutObject.class, "PUT /abc/k?x-amz-meta-Colour=blue&X-Amz-Date=1");
        assertThat(put.attributes().userMetadata()).isEqualTo(Map.of("colour", "blue"));
        assertThat(Requests.refusal("PUT /abc/k?x-amz-meta-a=%0D%0AX:%20y")).isEqualTo("400 InvalidArgument");
        assertThat(Requests.refusal("PUT /abc/k?x-amz-meta-a%0D%0AX=y")).isEqualTo("400 InvalidArgument");
        var get = Requests.parse(S3Request.GetObject.class, "GET /abc/k?X-Amz-Checksum-Mode=ENABLED");
        assertThat(get.checksumMode()).isTrue();
    }

    /// SigV2 signs the header alone then.
    @Test
    void aHeaderSentBothWaysCountsOnce() {
        var put = Requests.parse(
                S3Request.PutObject.class, "PUT /abc/k?x-amz-meta-a=query&X-Amz-Signature=s", "X-Amz-Meta-A", "header");
        assertThat(put.attributes().userMetadata()).isEqualTo(Map.of("a", "header"));
    }

    /// Whoever has the URL can add them.
    @Test
    void parametersThatSigV2DoesNotSignDoNothing() {
        var url = "GET /abc/k?uploadId=u&Signature=s&AWSAccessKeyId=a&Expires=1&max-parts=3&part-number-marker=7";
        var list = Requests.parse(S3Request.ListParts.class, url);
        assertThat(list.uploadId()).isEqualTo("u");
        assertThat(list.maxParts()).isEqualTo(1000);
        assertThat(list.partNumberMarker()).isZero();
        var signedWhole = Requests.parse(S3Request.ListParts.class, url.replace("Signature=s&AWSAccessKeyId=a&", ""));
        assertThat(signedWhole.maxParts()).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource
    void aParameterThatSigV2DoesNotSignMakesNoOtherActionOnAnObject(S3Action action) {
        boolean another =
                action.on() == S3Action.On.OBJECT && !action.parameter().isEmpty();
        if (another && action.serving() != S3Action.Serving.REFUSED) {
            assertThat(SigV2Parameters.isSigned(action.parameter())).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "x-amz-metadata-directive, COPY, 400 InvalidRequest",
        "x-amz-tagging-directive, REPLACE, 400 InvalidRequest",
        "x-amz-metadata-directive, REPLACE, ''",
        "x-amz-checksum-algorithm, SHA256, ''",
        "x-amz-server-side-encryption, AES256, ''",
    })
    void aCopyOntoItselfChangesSomething(String header, String value, String refusal) {
        var copy = new String[] {"x-amz-copy-source", "/abc/k", header, value};
        if (refusal.isEmpty()) {
            Requests.parse(S3Request.CopyObject.class, "PUT /abc/k", copy);
        } else {
            assertThat(Requests.refusal("PUT /abc/k", copy)).isEqualTo(refusal);
        }
    }

    /// Else whoever has a URL for a PUT could read any object with it.
    @Test
    void aCopySourceInTheQueryCountsOnlyWhereTheQueryIsSigned() {
        var copy = "PUT /abc/k?x-amz-copy-source=/secret/k";
        assertThat(Requests.parse(S3Request.CopyObject.class, copy + "&X-Amz-Signature=s")
                        .source())
                .isEqualTo(new ObjectName("secret", "k"));
        assertThat(Requests.parse(S3Request.CopyObject.class, copy + "&AWSAccessKeyId=a&Signature=s&Expires=1")
                        .source())
                .isEqualTo(new ObjectName("secret", "k"));
        assertThat(Requests.refusal(copy)).isEqualTo("501 NotImplemented");
        assertThat(Requests.refusal(copy + "&X-Amz-Signature=s&Signature=s")).isEqualTo("501 NotImplemented");
        assertThat(Requests.refusal(copy + "&X-Amz-Signature=s&x-sluice-token=t"))
                .isEqualTo("501 NotImplemented");
        assertThat(Requests.refusal(copy + "&X-Amz-Signature=s", "Authorization", "AWS4-HMAC-SHA256 x"))
                .isEqualTo("501 NotImplemented");
    }

    @Test
    void listBucketsHasItsArguments() {
        assertThat(Requests.parse("GET /")).isEqualTo(new S3Request.ListBuckets("", "", 10_000, Optional.empty()));
        assertThat(Requests.parse("GET /?prefix=a%2F&max-buckets=10000&bucket-region=eu-west-1&continuation-token="
                        + ContinuationToken.encode("b")))
                .isEqualTo(new S3Request.ListBuckets("a/", "b", 10_000, Optional.of("eu-west-1")));
        for (var wrong : List.of("0", "10001", "-1", "x", "99999999999")) {
            assertThat(Requests.refusal("GET /?max-buckets=" + wrong)).isEqualTo("400 InvalidArgument");
        }
        assertThat(Requests.refusal("GET /?continuation-token=b")).isEqualTo("400 InvalidArgument");
    }

    @Test
    void anEmptyTokenIsTheBeginning() {
        assertThat(Requests.parse(S3Request.ListObjects.class, "GET /abc?list-type=2&continuation-token=&start-after=a")
                        .after())
                .isEqualTo("a");
    }

    @ParameterizedTest
    @CsvSource({
        "x-amz-acl, private",
        "x-amz-acl, bucket-owner-full-control",
        "x-amz-storage-class, STANDARD",
        "x-amz-expected-bucket-owner, 123456789012",
        "x-amz-tagging-directive, COPY",
        "x-amz-date, 20261121T000000Z",
        "x-amz-content-sha256, UNSIGNED-PAYLOAD",
        "x-amz-request-payer, requester",
        "x-amz-, y",
    })
    void headersThatMeanWhatWeDoAnywayAreTaken(String name, String value) {
        assertThat(Requests.parse("PUT /abc/k", name, value)).isInstanceOf(S3Request.PutObject.class);
    }

    @ParameterizedTest
    @MethodSource
    void ranges(String header, Optional<ByteRange> expected) {
        assertThat(Requests.parse(S3Request.GetObject.class, "GET /abc/k", "range", header)
                        .range())
                .isEqualTo(expected);
    }

    static Stream<Arguments> ranges() {
        return Stream.of(
                range("bytes=0-9", new ByteRange.FromTo(0, 9)),
                range("Bytes=5-5", new ByteRange.FromTo(5, 5)),
                range("bytes=7-", new ByteRange.FromTo(7, Long.MAX_VALUE)),
                range("bytes=-3", new ByteRange.Last(3)),
                range("bytes=-0", new ByteRange.Last(0)),
                range("bytes=0-99999999999999999999999", new ByteRange.FromTo(0, Long.MAX_VALUE)),
                range("bytes=99999999999999999999999-", new ByteRange.FromTo(Long.MAX_VALUE, Long.MAX_VALUE)),
                ignored("bytes=9-0"),
                ignored("bytes=0-1,4-5"),
                ignored("bytes="),
                ignored("bytes=-"),
                ignored("bytes=a-b"),
                ignored("bytes=1-b"),
                ignored("bytes=+1-2"),
                ignored("bytes=--2"),
                ignored("lines=1-2"),
                ignored("bytes 1-2"),
                ignored(""));
    }

    private static Arguments range(String header, ByteRange range) {
        return Arguments.of(header, Optional.of(range));
    }

    private static Arguments ignored(String header) {
        return Arguments.of(header, Optional.empty());
    }

    @ParameterizedTest
    @CsvSource({
        "'\"e\"', e, ''",
        "e, e, ''",
        "'W/\"e\"', '', ''",
        "'Sat, 21 Nov 2026 07:08:09 GMT', '', 2026-11-21T07:08:09Z"
    })
    void ifRangeIsATagOrADate(String header, String etag, String modified) {
        var get = Requests.parse(S3Request.GetObject.class, "GET /abc/k", "Range", "bytes=0-1", "If-Range", header);
        assertThat(get.range()).contains(new ByteRange.FromTo(0, 1));
        var ifRange = get.conditions().ifRange().orElseThrow();
        assertThat(ifRange.etag().orElse("")).isEqualTo(etag);
        assertThat(ifRange.modified().map(Instant::toString).orElse("")).isEqualTo(modified);
    }

    @Test
    void severalLinesOfTagsAreOneList() {
        var get = Requests.parse(
                S3Request.GetObject.class,
                "GET /abc/k",
                "If-Match",
                "\"a\"",
                "If-Match",
                "\"b\", \"c\"",
                "If-None-Match",
                "\"d\"",
                "if-none-match",
                "*");
        assertThat(get.conditions().ifMatch()).contains("\"a\", \"b\", \"c\"");
        assertThat(get.conditions().ifNoneMatch()).contains("\"d\", *");
        var put = Requests.parse(
                S3Request.PutObject.class,
                "PUT /abc/k",
                "If-Match",
                "\"a\"",
                "If-Match",
                "\"b\"",
                "Content-Length",
                "0");
        assertThat(put.conditions().ifMatch()).contains("\"a\", \"b\"");
    }

    @Test
    void aRangeAndAPartNumberExcludeEachOther() {
        assertThat(Requests.refusal("GET /abc/k?partNumber=2", "Range", "bytes=0-1"))
                .isEqualTo("400 InvalidRequest");
        assertThat(Requests.parse(S3Request.HeadObject.class, "HEAD /abc/k?partNumber=2")
                        .partNumber())
                .contains(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Sat, 21 Nov 2026 07:08:09 GMT",
                "2026-11-21T07:08:09Z",
                "2026-11-21T08:08:09+01:00",
                "Saturday, 21-Nov-26 07:08:09 GMT",
                "Sat Nov 21 07:08:09 2026",
            })
    void datesInAllTheirForms(String date) {
        var get = Requests.parse(S3Request.GetObject.class, "GET /abc/k", "If-Modified-Since", date);
        assertThat(get.conditions().ifModifiedSince()).contains(Instant.parse("2026-11-21T07:08:09Z"));
    }

    @Test
    void aMalformedDateIsIgnoredOnReadsAndRefusedForCopies() {
        var get = Requests.parse(S3Request.GetObject.class, "GET /abc/k", "If-Modified-Since", "yesterday");
        assertThat(get.conditions()).isSameAs(Conditions.NONE);
        assertThat(Requests.refusal(
                        "PUT /abc/k", "x-amz-copy-source", "b/k", "x-amz-copy-source-if-modified-since", "yesterday"))
                .isEqualTo("400 InvalidArgument");
    }

    @Test
    void conditionsAndOverridesOfAGet() {
        var get = Requests.parse(
                S3Request.GetObject.class,
                "GET /abc/k?response-content-type=text%2Fplain&response-expires=0",
                "If-Match",
                "\"a\"",
                "if-none-match",
                "*");
        assertThat(get.conditions().ifMatch()).contains("\"a\"");
        assertThat(get.conditions().ifNoneMatch()).contains("*");
        assertThat(get.overrides()).isEqualTo(Map.of("Content-Type", "text/plain", "Expires", "0"));
    }

    @Test
    void whatIsNotServedSaysWhatToDoInstead() {
        assertThatThrownBy(() -> Requests.parse(S3Request.class, "PUT /abc/k?tagging"))
                .hasMessageContaining("write it again with x-amz-tagging");
    }

    @Test
    void attributesToGet() {
        var get = Requests.parse(
                S3Request.GetObjectAttributes.class,
                "GET /abc/k?attributes",
                "X-Amz-Object-Attributes",
                "ETag, ObjectParts",
                "x-amz-object-attributes",
                "ObjectSize",
                "x-amz-max-parts",
                "2000",
                "x-amz-part-number-marker",
                "7");
        assertThat(get.attributes())
                .containsExactly(ObjectAttribute.ETAG, ObjectAttribute.OBJECT_PARTS, ObjectAttribute.OBJECT_SIZE);
        assertThat(get.maxParts()).isEqualTo(1000);
        assertThat(get.partNumberMarker()).isEqualTo(7);
        assertThat(Requests.refusal("GET /abc/k?attributes")).isEqualTo("400 InvalidRequest");
        assertThat(Requests.refusal("GET /abc/k?attributes", "x-amz-object-attributes", "ETag,Etag"))
                .isEqualTo("400 InvalidArgument");
        assertThat(Requests.refusal(
                        "GET /abc/k?attributes", "x-amz-object-attributes", "ETag", "x-amz-max-parts", "-1"))
                .isEqualTo("400 InvalidArgument");
    }

    @Test
    void attributesOfAPut() {
        var put = Requests.parse(
                S3Request.PutObject.class,
                "PUT /abc/k",
                "content-type",
                "image/jpeg",
                "Content-Encoding",
                "aws-chunked, gzip",
                "X-Amz-Meta-Author",
                "me",
                "x-amz-meta-author",
                "you",
                "Content-MD5",
                MD5_OF_NOTHING,
                "x-amz-checksum-crc32",
                "AAAAAA==",
                "x-amz-trailer",
                "x-amz-checksum-crc32",
                "If-None-Match",
                "*");
        assertThat(put.attributes().headers())
                .isEqualTo(Map.of("Content-Type", "image/jpeg", "Content-Encoding", "gzip"));
        assertThat(put.attributes().userMetadata()).isEqualTo(Map.of("author", "me,you"));
        assertThat(put.attributes().contentMd5()).contains("d41d8cd98f00b204e9800998ecf8427e");
        assertThat(put.attributes().checksums()).isEqualTo(Map.of(ChecksumAlgorithm.CRC32, "AAAAAA=="));
        assertThat(put.attributes().declared()).contains(ChecksumAlgorithm.CRC32);
        assertThat(put.conditions().ifNoneMatch()).contains("*");
    }

    @ParameterizedTest
    @CsvSource({
        "'gzip', 'gzip'",
        "'deflate,  gzip', 'deflate,  gzip'",
        "'deflate,gzip', 'deflate,gzip'",
        "'aws-chunked, gzip', 'gzip'",
        "'gzip, AWS-Chunked', 'gzip'",
        "'zstd, aws-chunked, gzip', 'zstd, gzip'",
        "'aws-chunked', ''",
        "'aws-chunked, aws-chunked', ''",
    })
    void onlyAwsChunkedIsNoEncodingOfTheObject(String sent, String kept) {
        var put = Requests.parse(S3Request.PutObject.class, "PUT /abc/k", "Content-Encoding", sent);
        assertThat(put.attributes().headers()).isEqualTo(kept.isEmpty() ? Map.of() : Map.of("Content-Encoding", kept));
    }

    @Test
    void encodingsOfSeveralHeadersAreOneList() {
        var put = Requests.parse(
                S3Request.PutObject.class,
                "PUT /abc/k",
                "Content-Encoding",
                "zstd",
                "content-encoding",
                "aws-chunked",
                "Content-Encoding",
                "gzip");
        assertThat(put.attributes().headers()).isEqualTo(Map.of("Content-Encoding", "zstd, gzip"));
    }

    @ParameterizedTest
    @CsvSource({
        "Content-MD5, x, 400 InvalidDigest",
        "Content-MD5, AAAA, 400 InvalidDigest",
        "Content-MD5, '', 400 InvalidDigest",
        "x-amz-checksum-md4, AAAA, 400 InvalidRequest",
        "x-amz-checksum-crc32, AAAA, 400 InvalidRequest",
        "x-amz-checksum-crc32, not base64, 400 InvalidRequest",
        "x-amz-checksum-crc32, AAAAAA==-2, 400 InvalidRequest",
        "x-amz-sdk-checksum-algorithm, CRC16, 400 InvalidRequest",
        "x-amz-sdk-checksum-algorithm, CRC32, 400 InvalidRequest",
        "x-amz-trailer, x-amz-meta-a, 400 InvalidRequest",
        "x-amz-trailer, 'x-amz-checksum-crc32,x-amz-checksum-sha1', 400 InvalidRequest",
        "x-amz-meta-, y, 400 InvalidArgument",
    })
    void brokenPromisesOfAPut(String name, String value, String refusal) {
        assertThat(Requests.refusal("PUT /abc/k", name, value)).isEqualTo(refusal);
    }

    @ParameterizedTest
    @CsvSource({
        "x-amz-checksum-crc32, AAAAAA==, x-amz-checksum-crc32c, AAAAAA==",
        "x-amz-checksum-crc32, AAAAAA==, x-amz-checksum-crc32, AAAAAQ==",
        "x-amz-checksum-crc32, AAAAAA==, x-amz-sdk-checksum-algorithm, CRC32C",
        "x-amz-checksum-crc32, AAAAAA==, x-amz-checksum-algorithm, SHA1",
        "x-amz-checksum-crc32, AAAAAA==, x-amz-trailer, x-amz-checksum-sha1",
        "x-amz-sdk-checksum-algorithm, CRC32, x-amz-trailer, x-amz-checksum-crc64nvme",
        "x-amz-sdk-checksum-algorithm, CRC32, x-amz-checksum-algorithm, SHA1",
    })
    void checksumsOfTwoAlgorithmsAreRefused(String name, String value, String other, String otherValue) {
        for (var request : List.of("PUT /abc/k", "PUT /abc/k?partNumber=1&uploadId=u")) {
            assertThat(Requests.refusal(request, name, value, other, otherValue))
                    .isEqualTo("400 InvalidRequest");
        }
    }

    @Test
    void checksumsOfOneAlgorithmMayBeNamedTwice() {
        var put = Requests.parse(
                S3Request.PutObject.class,
                "PUT /abc/k",
                "x-amz-sdk-checksum-algorithm",
                "xxhash3",
                "x-amz-checksum-xxhash3",
                "9RrF7krhuOI=");
        assertThat(put.attributes().checksums()).isEqualTo(Map.of(ChecksumAlgorithm.XXHASH3, "9RrF7krhuOI="));
        assertThat(put.attributes().declared()).contains(ChecksumAlgorithm.XXHASH3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PUT /abc/k", "PUT /abc/k from /abc/l", "POST /abc/k?uploadId=u"})
    void writesTakeOneCondition(String request) {
        var line = request.replace(" from /abc/l", "");
        var copy = request.contains(" from ") ? List.of("x-amz-copy-source", "/abc/l") : List.<String>of();
        for (var refused : List.of(
                List.of("If-None-Match", "\"e\""),
                List.of("If-None-Match", ""),
                List.of("If-None-Match", "*, \"e\""),
                List.of("If-Match", "\"e\"", "If-None-Match", "*"),
                List.of("x-amz-if-match-size", "3"),
                List.of("x-amz-if-match-last-modified-time", "Sat, 21 Nov 2026 07:08:09 GMT"))) {
            var headers = Stream.concat(copy.stream(), refused.stream()).toArray(String[]::new);
            assertThat(Requests.refusal(line, headers)).as("%s", refused).isEqualTo("501 NotImplemented");
        }
        for (var served : List.of(List.of("If-None-Match", "*"), List.of("If-Match", "\"e\""))) {
            var headers = Stream.concat(copy.stream(), served.stream()).toArray(String[]::new);
            assertThat(Requests.refusal(line, headers)).as("%s", served).doesNotContain("NotImplemented");
        }
    }

    @Test
    void deletionsHaveConditionsOfTheirOwn() {
        var delete = Requests.parse(
                S3Request.DeleteObject.class,
                "DELETE /abc/k",
                "If-Match",
                "\"e\"",
                "X-Amz-If-Match-Size",
                "3",
                "x-amz-if-match-last-modified-time",
                "Sat, 21 Nov 2026 07:08:09 GMT");
        assertThat(delete.conditions())
                .isEqualTo(new DeleteConditions(
                        Optional.of("\"e\""), Optional.of(3L), Optional.of(Instant.parse("2026-11-21T07:08:09Z"))));
        assertThat(Requests.parse(S3Request.DeleteObject.class, "DELETE /abc/k").conditions())
                .isSameAs(DeleteConditions.NONE);
        assertThat(Requests.refusal("DELETE /abc/k", "x-amz-if-match-size", "-1"))
                .isEqualTo("400 InvalidArgument");
        assertThat(Requests.refusal("DELETE /abc/k", "x-amz-if-match-last-modified-time", "yesterday"))
                .isEqualTo("400 InvalidArgument");
        for (var refused : List.of("If-None-Match", "If-Unmodified-Since", "x-amz-if-match-initiated-time")) {
            assertThat(Requests.refusal("DELETE /abc/k", refused, "*")).isEqualTo("501 NotImplemented");
        }
        assertThat(Requests.refusal("DELETE /abc/k?uploadId=u", "x-amz-if-match-size", "3"))
                .isEqualTo("501 NotImplemented");
    }

    @Test
    void metadataHasTwoKibibytesAtMost() {
        assertThat(Requests.refusal("PUT /abc/k", "x-amz-meta-a", "v".repeat(1000), "x-amz-meta-b", "v".repeat(1046)))
                .startsWith("PutObject");
        assertThat(Requests.refusal("PUT /abc/k", "x-amz-meta-a", "v".repeat(1000), "x-amz-meta-b", "v".repeat(1047)))
                .isEqualTo("400 MetadataTooLarge");
        var word = "=?UTF-8?B?w6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqQ==?= ".repeat(73); // 28 bytes each
        assertThat(Requests.refusal("PUT /abc/k", "x-amz-meta-a", word)).startsWith("PutObject");
        assertThat(Requests.refusal("PUT /abc/k", "x-amz-meta-a", word, "x-amz-meta-bcd", "8 bytes."))
                .isEqualTo("400 MetadataTooLarge");
    }

    @Test
    void emptyWordsCountAsMetadataToo() {
        assertThat(Requests.refusal("PUT /abc/k", "x-amz-meta-a", "=?UTF-8?Q??= ".repeat(200)))
                .isEqualTo("400 MetadataTooLarge");
    }

    @Test
    void metadataHasEightKibibytesAtMostAsItIsSent() {
        var words = "=?UTF-8?Q?a?= ".repeat(585); // 8,190 bytes that stand for 585
        assertThat(Requests.refusal("PUT /abc/k", "x-amz-meta-a", words + "b")).startsWith("PutObject");
        assertThat(Requests.refusal("PUT /abc/k", "x-amz-meta-a", words + "bc")).isEqualTo("400 MetadataTooLarge");
    }

    @Test
    void contentHeadersAreCountedAsTheyAreSent() {
        var name = "content-disposition";
        assertThat(Requests.refusal("PUT /abc/k", name, "\u00C3".repeat(2048 - name.length())))
                .startsWith("PutObject");
        assertThat(Requests.refusal("PUT /abc/k", name, "=?UTF-8?Q?a?= ".repeat(146)))
                .isEqualTo("400 MetadataTooLarge");
    }

    @Test
    void contentHeadersHaveTwoKibibytesAtMost() {
        for (var request : List.of("PUT /abc/k", "POST /abc/k?uploads")) {
            int names = "Cache-Control".length() + "Content-Type".length();
            var half = "v".repeat((2048 - names) / 2);
            var other = "v".repeat(2048 - names - half.length());
            assertThat(Requests.refusal(request, "cache-control", half, "content-type", other))
                    .doesNotStartWith("4");
            assertThat(Requests.refusal(request, "cache-control", half, "content-type", other + "v"))
                    .isEqualTo("400 MetadataTooLarge");
        }
    }

    @Test
    void contentHeadersHaveNoControlCharacters() {
        assertThat(Requests.refusal("PUT /abc/k", "content-type", "a/b\r\nx: y"))
                .isEqualTo("400 InvalidArgument");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/src/key|src|key",
                "src/key|src|key",
                "src/a%20b+c//..|src|a b+c//..",
                "%2Fsrc%2Fkey|src|key",
                "src%2Fkey|src|key",
                "src/k?versionId=null|src|k",
                "src/k?versionId=1|400 InvalidArgument|",
                "src|400 InvalidArgument|",
                "/src/|400 InvalidArgument|",
                "/|400 InvalidArgument|",
                "src/%FF|400 InvalidURI|",
                "../k|400 InvalidBucketName|",
            })
    void copySources(String header, String bucket, String key) {
        if (key == null) {
            assertThat(Requests.refusal("PUT /abc/k", "x-amz-copy-source", header))
                    .isEqualTo(bucket);
        } else {
            var copy = Requests.parse(S3Request.CopyObject.class, "PUT /abc/k", "x-amz-copy-source", header);
            assertThat(copy.source()).isEqualTo(new ObjectName(bucket, key));
        }
    }

    @Test
    void copiesOntoThemselvesMustChangeSomething() {
        assertThat(Requests.refusal("PUT /abc/k", "x-amz-copy-source", "/abc/k"))
                .isEqualTo("400 InvalidRequest");
        var copy = Requests.parse(
                S3Request.CopyObject.class,
                "PUT /abc/k",
                "x-amz-copy-source",
                "/abc/k",
                "x-amz-metadata-directive",
                "REPLACE",
                "x-amz-copy-source-if-match",
                "e");
        assertThat(copy.replaceMetadata()).isTrue();
        assertThat(copy.sourceConditions().ifMatch()).contains("e");
        for (var condition : List.of("x-amz-copy-source-if-match", "x-amz-copy-source-if-none-match")) {
            for (var cut : List.of("\"e\"\r\nx: y", "\"e\"\n", "\re", "e\0")) {
                assertThat(Requests.refusal("PUT /abc/k", "x-amz-copy-source", "b/k", condition, cut))
                        .as("%s: %s", condition, cut)
                        .isEqualTo("400 InvalidArgument");
            }
        }
        assertThat(Requests.refusal("PUT /abc/k", "x-amz-copy-source", "b/k", "x-amz-metadata-directive", "X"))
                .isEqualTo("400 InvalidArgument");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bytes=0-9|UploadPartCopy",
                "bytes=3-|400 InvalidArgument",
                "bytes=-3|400 InvalidArgument",
                "bytes=9-0|400 InvalidArgument",
                "0-9|400 InvalidArgument",
            })
    void rangesOfCopies(String range, String expected) {
        assertThat(Requests.refusal(
                        "PUT /abc/k?uploadId=u&partNumber=2",
                        "x-amz-copy-source",
                        "b/k",
                        "x-amz-copy-source-range",
                        range))
                .startsWith(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "CRC32, , false",
        "CRC32, FULL_OBJECT, true",
        "CRC32C, COMPOSITE, false",
        "CRC64NVME, , true",
        "SHA256, COMPOSITE, false",
        "MD5, , false",
        "SHA512, COMPOSITE, false",
        "XXHASH3, , false",
    })
    void checksumTypesOfUploads(String algorithm, String type, boolean full) {
        var headers = type == null
                ? new String[] {"x-amz-checksum-algorithm", algorithm}
                : new String[] {"x-amz-checksum-algorithm", algorithm, "x-amz-checksum-type", type};
        var create = Requests.parse(S3Request.CreateMultipartUpload.class, "POST /abc/k?uploads", headers);
        assertThat(create.fullObjectChecksum()).isEqualTo(full);
        assertThat(create.attributes().declared()).contains(ChecksumAlgorithm.valueOf(algorithm));
    }

    @Test
    void impossibleChecksumTypesAreRefused() {
        for (var algorithm : List.of("SHA1", "SHA512", "MD5", "XXHASH64", "XXHASH3", "XXHASH128")) {
            assertThat(Requests.refusal(
                            "POST /abc/k?uploads",
                            "x-amz-checksum-algorithm",
                            algorithm,
                            "x-amz-checksum-type",
                            "FULL_OBJECT"))
                    .isEqualTo("400 InvalidRequest");
        }
        assertThat(Requests.refusal("POST /abc/k?uploads", "x-amz-checksum-type", "FULL_OBJECT"))
                .isEqualTo("400 InvalidRequest");
    }

    @Test
    void whatCompletesAnUpload() {
        var complete = Requests.parse(
                S3Request.CompleteMultipartUpload.class,
                "POST /abc/k?uploadId=u%2B1",
                "x-amz-checksum-crc32",
                "AAAAAA==-2",
                "x-amz-checksum-type",
                "COMPOSITE",
                "x-amz-mp-object-size",
                "12",
                "If-None-Match",
                "*");
        assertThat(complete.uploadId()).isEqualTo("u+1");
        assertThat(complete.checksums()).isEqualTo(Map.of(ChecksumAlgorithm.CRC32, "AAAAAA==-2"));
        assertThat(complete.fullObjectChecksum()).contains(false);
        assertThat(complete.objectSize()).contains(12L);
        assertThat(complete.conditions().ifNoneMatch()).contains("*");
        assertThat(Requests.refusal("POST /abc/k?uploadId=u", "x-amz-mp-object-size", "-1"))
                .isEqualTo("400 InvalidArgument");
    }

    @Test
    void listingsOfBothVersions() {
        assertThat(Requests.parse("GET /abc?marker=m+%2B&prefix=p%2F&delimiter=/&max-keys=5000&encoding-type=url"))
                .isEqualTo(new S3Request.ListObjects(
                        "abc", false, "p/", "/", "m +", Optional.empty(), Optional.empty(), 1000, true, true));
        var token = ContinuationToken.encode("k\0");
        assertThat(Requests.parse("GET /abc?list-type=2&start-after=a&continuation-token=" + token))
                .isEqualTo(new S3Request.ListObjects(
                        "abc", true, "", "", "k\0", Optional.of("a"), Optional.of(token), 1000, false, false));
        assertThat(Requests.parse("GET /abc?list-type=2&start-after=a&fetch-owner=true&max-keys=0"))
                .isEqualTo(new S3Request.ListObjects(
                        "abc", true, "", "", "a", Optional.of("a"), Optional.empty(), 0, false, true));
    }

    @Test
    void a405SaysWhatIsAllowed() {
        assertThatThrownBy(() -> Requests.parse("PUT /abc?location"))
                .isInstanceOfSatisfying(
                        S3Failure.class,
                        failure -> assertThat(failure.headers().first("Allow")).contains("GET"));
    }

    @Test
    void anErrorNamesWhatIsWrongOutsideItsSentence() {
        assertThat(error("GET /abc/" + "k".repeat(1025))).isEqualTo(S3Code.KEY_TOO_LONG.error(List.of("1025", "1024")));
        assertThat(error("GET /a+b/k")).isEqualTo(S3Code.INVALID_BUCKET_NAME.error(List.of("a+b")));
        assertThat(error("PUT /ab").values()).containsExactly("ab");
        assertThat(error("PUT /ab").message()).contains("3 to 63 characters");
        assertThat(error("PUT /abc/k", "Content-MD5", "AA==")).isEqualTo(S3Code.INVALID_DIGEST.error(List.of("AA==")));
        assertThat(error("PUT /abc?location")).isEqualTo(S3Code.METHOD_NOT_ALLOWED.error(List.of("PUT")));
    }

    private static S3Error error(String line, String... headers) {
        return catchThrowableOfType(S3Failure.class, () -> Requests.parse(line, headers))
                .error();
    }

    @Test
    void samplesAreAskedForByNumber() {
        assertThat(member("GET /abc/k?sample=7")).contains(new ShardMember.Samples(7, 1));
        assertThat(member("GET /abc/k?count=3&sample=0")).contains(new ShardMember.Samples(0, 3));
        assertThat(member("GET /abc/k?samples")).contains(new ShardMember.Count());
        assertThat(member("GET /abc/k?count=3")).isEmpty();
        assertThat(member("GET /abc/k")).isEmpty();
        assertThat(ReadArguments.of("samples"))
                .isNotEqualTo(ReadArguments.of("sample=1"))
                .isNotEqualTo("");
        assertThat(ReadArguments.of("sample=1&count=2"))
                .isEqualTo(ReadArguments.of("count=2&sample=1"))
                .isNotEqualTo(ReadArguments.of("sample=1"));
    }

    private static Optional<ShardMember> member(String request) {
        return ((S3Request.GetObject) Requests.parse(request)).member();
    }
}
