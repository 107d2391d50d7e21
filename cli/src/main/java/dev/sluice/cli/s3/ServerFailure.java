package dev.sluice.cli.s3;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.cli.CommandFailure;
import java.util.regex.Pattern;

/// What a server said when it refused: S3's XML or the native API's JSON, as `code: message` with what to do about it.
public record ServerFailure(int status, String code, String message) {
    private static final Pattern CODE = Pattern.compile("<Code>([^<]*)</Code>");
    private static final Pattern MESSAGE = Pattern.compile("<Message>([^<]*)</Message>");
    private static final JsonMapper JSON = new JsonMapper();

    static ServerFailure parse(int status, String body) {
        var code = CODE.matcher(body);
        if (code.find()) {
            var message = MESSAGE.matcher(body);
            return new ServerFailure(status, code.group(1), message.find() ? unescape(message.group(1)) : "");
        }
        if (body.startsWith("{")) {
            try {
                var json = JSON.readTree(body);
                var named = json.path("tcode").asText(json.path("code").asText(""));
                return new ServerFailure(
                        status,
                        named.isEmpty() ? standard(status) : named,
                        json.path("message").asText(body));
            } catch (JsonProcessingException other) {
                return new ServerFailure(status, standard(status), body.strip());
            }
        }
        return new ServerFailure(status, standard(status), body.strip());
    }

    public CommandFailure asCommandFailure() {
        var text = code + (message.isEmpty() ? "" : ": " + message);
        var hint = hint();
        return CommandFailure.failed(hint.isEmpty() ? text : text + " (" + hint + ")");
    }

    private String hint() {
        return switch (code) {
            case "NoSuchBucket" -> "sluice bucket ls shows the buckets there are";
            case "NoSuchKey", "NotFound" -> "sluice ls BUCKET shows what is there";
            case "BucketNotEmpty" -> "empty it with sluice rm -r BUCKET/, or use --force";
            case "InvalidAccessKeyId", "SignatureDoesNotMatch", "AccessDenied", "Forbidden" ->
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

    private static String unescape(String text) {
        return text.replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&apos;", "'")
                .replace("&amp;", "&");
    }
}
