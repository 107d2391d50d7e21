package dev.sluice.common.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.sluice.common.store.StoreException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class S3CodeTest {
    private static final String SENTENCES = """
            EntityTooLarge | Your proposed upload exceeds the maximum allowed size
            EntityTooSmall | Your proposed upload is smaller than the minimum allowed size
            IncompleteBody | You did not provide the number of bytes specified by the Content-Length HTTP header
            InvalidBucketName | The specified bucket is not valid.
            InvalidDigest | The Content-MD5 you specified was invalid.
            InvalidPart | One or more of the specified parts could not be found.  The part may not have been uploaded, \
            or the specified entity tag may not match the part's entity tag.
            InvalidPartOrder | The list of parts was not in ascending order. Parts must be ordered by part number.
            KeyTooLongError | Your key is too long
            MetadataTooLarge | Your metadata headers exceed the maximum allowed metadata size
            XAmzContentSHA256Mismatch | The provided 'x-amz-content-sha256' header does not match what was computed.
            AccessDenied | Access Denied
            InvalidAccessKeyId | The AWS Access Key Id you provided does not exist in our records.
            RequestTimeTooSkewed | The difference between the request time and the current time is too large.
            SignatureDoesNotMatch | The request signature we calculated does not match the signature you provided. \
            Check your key and signing method.
            NoSuchBucket | The specified bucket does not exist
            NoSuchBucketPolicy | The bucket policy does not exist
            NoSuchConfiguration | The specified configuration does not exist.
            NoSuchCORSConfiguration | The CORS configuration does not exist
            ServerSideEncryptionConfigurationNotFoundError | The server side encryption configuration was not found
            NoSuchKey | The specified key does not exist.
            NoSuchLifecycleConfiguration | The lifecycle configuration does not exist
            ObjectLockConfigurationNotFoundError | Object Lock configuration does not exist for this bucket
            NoSuchPublicAccessBlockConfiguration | The public access block configuration was not found
            ReplicationConfigurationNotFoundError | The replication configuration was not found
            NoSuchTagSet | The TagSet does not exist
            NoSuchUpload | The specified upload does not exist. The upload ID may be invalid, or the upload may have \
            been aborted or completed.
            NoSuchVersion | The specified version does not exist.
            NoSuchWebsiteConfiguration | The specified bucket does not have a website configuration
            MethodNotAllowed | The specified method is not allowed against this resource.
            BucketAlreadyOwnedByYou | Your previous request to create the named bucket succeeded and you already own it.
            BucketNotEmpty | The bucket you tried to delete is not empty
            MissingContentLength | You must provide the Content-Length HTTP header.
            PreconditionFailed | At least one of the pre-conditions you specified did not hold
            InvalidPartNumber | The requested partnumber is not satisfiable
            InvalidRange | The requested range is not satisfiable
            """;

    @Test
    void aSentenceIsAsS3WritesIt() {
        assertThat(Arrays.stream(S3Code.values())
                        .filter(code -> !code.sentence().isEmpty())
                        .map(code -> code.code() + " | " + code.sentence()))
                .containsExactlyInAnyOrderElementsOf(SENTENCES.lines().toList());
    }

    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of(new StoreException.NoSuchKey("k"), "The specified key does not exist."),
                Arguments.of(new StoreException.NoSuchBucket("b"), "The specified bucket does not exist"),
                Arguments.of(new StoreException.InvalidPart(3), S3Code.INVALID_PART.sentence()),
                Arguments.of(new StoreException.InvalidPart(3, "has no CRC32"), "Part 3 has no CRC32"),
                Arguments.of(
                        new StoreException.PreconditionFailed("If-Match"),
                        "At least one of the pre-conditions you specified did not hold"),
                Arguments.of(new StoreException.RangeNotSatisfiable(3), "The requested range is not satisfiable"),
                Arguments.of(new StoreException.BadDigest("It did not match.", "a", "b"), "It did not match."),
                Arguments.of(new StoreException.IncompleteBody(9, 4), S3Code.INCOMPLETE_BODY.sentence()),
                Arguments.of(new StoreException.IncompleteBody("It broke off"), "It broke off"),
                Arguments.of(new StoreException.BackendDenied("s3://sets: give keys"), "s3://sets: give keys"),
                Arguments.of(new StoreException.NoSpace("d1 is full"), "d1 is full"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aClientIsToldInS3sWordsUnlessOursSayMore(StoreException failure, String message) {
        assertThat(S3Errors.of(failure).message()).isEqualTo(message);
    }

    @Test
    void theNativeApiSaysWhichBucketOrKey() {
        assertThat(S3Errors.inOurWords(new StoreException.NoSuchBucket("b")).text())
                .isEqualTo("The bucket does not exist: b");
        assertThat(S3Errors.inOurWords(new StoreException.BadDigest("It did not match.", "a", "b"))
                        .text())
                .isEqualTo("It did not match. Expected a, calculated b");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "NO_SUCH_KEY    | k | NoSuchKey: The specified key does not exist. Key: k",
                "NO_SUCH_BUCKET | b | NoSuchBucket: The specified bucket does not exist. BucketName: b"
            })
    void anExceptionSaysWhichBucketOrKey(S3Code code, String value, String message) {
        assertThat(S3Failure.of(code, value)).hasMessage(message);
    }

    @Test
    void aCodeWithoutASentenceNeedsAMessage() {
        assertThatIllegalStateException().isThrownBy(() -> S3Code.INVALID_REQUEST.error(List.of()));
    }
}
