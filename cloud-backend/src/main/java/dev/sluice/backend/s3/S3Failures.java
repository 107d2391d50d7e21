package dev.sluice.backend.s3;

import dev.sluice.backend.BackendAddress;
import dev.sluice.backend.BackendFailure;
import dev.sluice.backend.access.BackendConnection;
import dev.sluice.backend.access.ConnectGuard;
import dev.sluice.common.store.StoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.http.SdkHttpResponse;

/// The only place where an exception of the AWS SDK gets its meaning.
final class S3Failures {
    private static final Pattern UNSATISFIED = Pattern.compile("bytes \\*/(\\d+)");

    private final BackendConnection connection;
    private final BackendAddress address;

    S3Failures(BackendConnection connection) {
        this.connection = connection;
        this.address = connection.address();
    }

    BackendFailure explain(RuntimeException thrown, String key) {
        var refused = ConnectGuard.refusal(thrown);
        if (refused.isPresent()) {
            return BackendFailure.finalAnswer(refused.get());
        }
        return switch (thrown) {
            case StoreException known -> BackendFailure.finalAnswer(known);
            case AwsServiceException answer -> answered(answer, key);
            default -> unanswered(thrown);
        };
    }

    private BackendFailure answered(AwsServiceException answer, String key) {
        var details = Optional.ofNullable(answer.awsErrorDetails());
        var code = details.map(AwsErrorDetails::errorCode).orElse("");
        var says = says(answer);
        return switch (code) {
            case "NoSuchBucket" -> BackendFailure.finalAnswer(new StoreException.NoSuchBucket(address.toString()));
            case "NoSuchKey" -> BackendFailure.finalAnswer(new StoreException.NoSuchKey(key));
            case "BadDigest", "InvalidDigest", "XAmzContentChecksumMismatch", "XAmzContentSHA256Mismatch" ->
                BackendFailure.finalAnswer(new StoreException.BadDigest(says));
            case "AuthorizationHeaderMalformed", "PermanentRedirect" ->
                BackendFailure.finalAnswer(new StoreException.BackendDenied(says));
            case "SlowDown", "SlowDownRead", "SlowDownWrite", "Throttling", "TooManyRequests" -> throttled(answer);
            case "RequestTimeout", "ConditionalRequestConflict", "OperationAborted" ->
                BackendFailure.passing(new StoreException.BackendUnavailable(says, answer));
            default -> byStatus(answer, key, says);
        };
    }

    private BackendFailure byStatus(AwsServiceException answer, String key, String says) {
        return switch (answer.statusCode()) {
            case 404 -> BackendFailure.finalAnswer(new StoreException.NoSuchKey(key));
            case 401, 403 -> BackendFailure.finalAnswer(StoreException.BackendDenied.wantsCredentials(says));
            case 412 -> BackendFailure.finalAnswer(new StoreException.PreconditionFailed("version of " + key));
            case 416 -> BackendFailure.finalAnswer(new StoreException.RangeNotSatisfiable(sizeBehind(answer)));
            case 429, 503 -> throttled(answer);
            case 400, 405, 411, 413, 501 -> BackendFailure.finalAnswer(new StoreException.InvalidArgument(says));
            default -> BackendFailure.passing(new StoreException.BackendUnavailable(says, answer));
        };
    }

    private BackendFailure throttled(AwsServiceException answer) {
        var wait = response(answer)
                .flatMap(response -> response.firstMatchingHeader("Retry-After"))
                .filter(value -> value.matches("\\d{1,4}"))
                .map(value -> Duration.ofSeconds(Long.parseLong(value)));
        return BackendFailure.throttled(new StoreException.BackendUnavailable(says(answer), answer), wait);
    }

    private BackendFailure unanswered(RuntimeException thrown) {
        var message = address + " does not answer: " + thrown.getMessage();
        if (message.contains("Unable to load credentials") || message.contains("Profile file contained no")) {
            return BackendFailure.finalAnswer(StoreException.BackendDenied.wantsCredentials(
                    "no credentials for %s: %s".formatted(connection, thrown.getMessage())));
        }
        return BackendFailure.passing(new StoreException.BackendUnavailable(message, thrown));
    }

    private String says(AwsServiceException answer) {
        var why = Optional.ofNullable(answer.awsErrorDetails())
                .map(AwsErrorDetails::errorMessage)
                .filter(text -> !text.isBlank())
                .orElseGet(answer::getMessage);
        return address + " says " + answer.statusCode() + ": " + why;
    }

    private static long sizeBehind(AwsServiceException answer) {
        return response(answer)
                .flatMap(response -> response.firstMatchingHeader("Content-Range"))
                .map(UNSATISFIED::matcher)
                .filter(java.util.regex.Matcher::matches)
                .map(found -> Long.parseLong(found.group(1)))
                .orElse(0L);
    }

    private static Optional<SdkHttpResponse> response(AwsServiceException answer) {
        return Optional.ofNullable(answer.awsErrorDetails()).map(AwsErrorDetails::sdkHttpResponse);
    }
}
