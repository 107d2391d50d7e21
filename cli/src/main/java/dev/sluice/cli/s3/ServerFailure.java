package dev.sluice.cli.s3;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.cli.failure.CommandFailure;
import java.util.Set;
import java.util.stream.Collectors;
import javax.xml.stream.XMLStreamException;

/// What a server said when it refused: S3's XML or the native API's JSON, as `code: message` with what to do about it.
public record ServerFailure(int status, String code, String message) {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int UNAVAILABLE = 503;
    /// Of S3's error document: shown otherwise, or of use to programmers only.
    private static final Set<String> NOT_SHOWN = Set.of(
            "Code",
            "Message",
            "Resource",
            "RequestId",
            "HostId",
            "StringToSign",
            "StringToSignBytes",
            "SignatureProvided",
            "CanonicalRequest",
            "CanonicalRequestBytes");

    static ServerFailure parse(int status, String body) {
        try {
            return body.startsWith("{") ? ofJson(status, body) : ofXml(status, XmlElement.parse(body), body);
        } catch (JsonProcessingException | XMLStreamException other) {
            return ofText(status, body);
        }
    }

    /// What is neither S3's nor ours: the page of a proxy on the way, or nothing at all.
    private static ServerFailure ofText(int status, String body) {
        return new ServerFailure(status, standard(status), body.strip());
    }

    static ServerFailure ofXml(int status, XmlElement error, String body) {
        return error.text("Code")
                .map(code -> new ServerFailure(status, code.strip(), message(error)))
                .orElseGet(() -> ofText(status, body));
    }

    /// S3's sentences do not say which bucket or key: the elements beside them do.
    private static String message(XmlElement error) {
        var message = error.text("Message").orElse("");
        var elements = error.children().stream()
                .filter(element -> !NOT_SHOWN.contains(element.name())
                        && !element.text().isBlank()
                        && !message.contains(element.text()))
                .map(element -> element.name() + ": " + element.text())
                .collect(Collectors.joining(", "));
        if (message.isEmpty() || elements.isEmpty()) {
            return message + elements;
        }
        return message + (message.endsWith(".") ? " " : ". ") + elements;
    }

    private static ServerFailure ofJson(int status, String body) throws JsonProcessingException {
        var json = JSON.readTree(body);
        var named = json.path("tcode").asText(json.path("code").asText(""));
        return new ServerFailure(
                status,
                named.isEmpty() ? standard(status) : named,
                json.path("message").asText(body));
    }

    public CommandFailure asCommandFailure() {
        var text = code + (message.isEmpty() ? "" : ": " + message);
        var hint = hint();
        var said = hint.isEmpty() ? text : text + " (" + hint + ")";
        return status == UNAVAILABLE ? CommandFailure.passing(said) : CommandFailure.failed(said);
    }

    private String hint() {
        return switch (code) {
            case "NoSuchBucket" -> "sluice bucket ls shows the buckets there are";
            case "NoSuchKey", "NotFound" -> "sluice ls BUCKET shows what is there";
            case "NoSuchJob" -> "sluice job ls shows the jobs there are";
            case "BucketNotEmpty" -> "empty it with sluice rm -r BUCKET/, or use --force";
            case "AccessDenied" ->
                "check SLUICE_ACCESS_KEY and SLUICE_SECRET_KEY, or name the cluster with --dir;"
                        + " sluice bucket policy BUCKET shows what the bucket's policy denies";
            case "InvalidAccessKeyId", "SignatureDoesNotMatch", "Forbidden" ->
                "check SLUICE_ACCESS_KEY and SLUICE_SECRET_KEY, or name the cluster with --dir";
            case "RequestTimeTooSkewed" -> "the clocks of this machine and the server differ";
            case "ServiceUnavailable", "SlowDown" -> "sluice status shows which nodes serve; try again";
            case "QuotaExceeded" -> "sluice bucket show BUCKET shows what it takes";
            case "InsufficientStorage" -> "its drives are full: remove objects or add targets";
            default -> "";
        };
    }

    private static String standard(int status) {
        return switch (status) {
            case 400 -> "BadRequest";
            case 403 -> "Forbidden";
            case 404 -> "NotFound";
            case 409 -> "Conflict";
            case 501 -> "NotImplemented";
            case 503 -> "ServiceUnavailable";
            case 507 -> "InsufficientStorage";
            default -> "HTTP " + status;
        };
    }
}
