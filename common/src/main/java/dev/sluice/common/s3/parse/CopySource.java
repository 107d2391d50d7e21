package dev.sluice.common.s3.parse;

import dev.sluice.common.http.Headers;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.S3Failure;
import java.time.Instant;
import java.util.Optional;

/// x-amz-copy-source and the conditions on it.
final class CopySource {
    private CopySource() {}

    /// `/bucket/key` or `bucket/key`, percent-encoded, perhaps with `?versionId=…`.
    static ObjectName parse(String header) {
        int question = header.indexOf('?');
        int end = question < 0 ? header.length() : question;
        if (question >= 0) {
            var query = Query.parse(header.substring(question + 1));
            query.first("versionId").ifPresent(NotServed::refuseVersion);
        }
        // Some clients encode every slash, also a leading one.
        var path = PercentDecoding.decode(header, 0, end, false);
        var decoded = path.startsWith("/") ? path.substring(1) : path;
        int slash = decoded.indexOf('/');
        if (slash <= 0 || slash == decoded.length() - 1) {
            throw S3Failure.invalidArgument(
                    "x-amz-copy-source",
                    header,
                    "Copy Source must mention the source bucket and key: sourcebucket/sourcekey");
        }
        var name = new ObjectName(decoded.substring(0, slash), decoded.substring(slash + 1));
        BucketName.checkExisting(name.bucket());
        Address.checkLength(name.key());
        return name;
    }

    /// On a read a malformed date is ignored; here it would let a copy through that was not to be.
    static Conditions conditions(Headers headers) {
        var conditions = new Conditions(
                etags(headers, "x-amz-copy-source-if-match"),
                etags(headers, "x-amz-copy-source-if-none-match"),
                date(headers, "x-amz-copy-source-if-modified-since"),
                date(headers, "x-amz-copy-source-if-unmodified-since"));
        return conditions.none() ? Conditions.NONE : conditions;
    }

    /// Goes into a header of another request, which a line end would cut.
    private static Optional<String> etags(Headers headers, String header) {
        var etags = Conditions.tags(headers.all(header));
        if (etags.filter(text -> text.chars().anyMatch(Character::isISOControl)).isPresent()) {
            throw S3Failure.invalidArgument(header, etags.get(), "The value of " + header + " has a control character");
        }
        return etags;
    }

    private static Optional<Instant> date(Headers headers, String header) {
        return headers.first(header).map(text -> HttpDate.required(header, text));
    }
}
