package dev.sluice.common.s3.parse;

import dev.sluice.common.http.Headers;
import dev.sluice.common.s3.Encryption;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Header;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/// The parts of S3 that we do not serve and therefore refuse, naming them, rather than ignore. Parameters and headers
/// that S3 does not know either are ignored, as in S3. [S3Header] has the headers; the parameter versionId may be null
/// (no bucket has versions).
final class NotServed {
    /// Those that S3 gives look so, and those of other servers.
    private static final Pattern VERSION = Pattern.compile("null|[A-Za-z0-9._-]{16,128}");

    private static final String ACL = "x-amz-acl";
    private static final String OWNERSHIP = "x-amz-object-ownership";
    private static final Set<String> OWNERSHIPS = Set.of("BucketOwnerPreferred", "ObjectWriter");

    private static final Map<S3Header.In, BiConsumer<String, String>> REFUSING = new EnumMap<>(S3Header.In.class);

    static {
        for (var in : S3Header.In.values()) {
            REFUSING.put(in, (name, value) -> refuseHeader(in, name, value));
        }
    }

    private NotServed() {}

    /// The only version of an object in a bucket without versions is called `null`.
    static void refuseVersion(String versionId) {
        if (!VERSION.matcher(versionId).matches()) {
            throw S3Failure.invalidArgument("versionId", versionId, "Invalid version id specified: " + versionId);
        }
        if (!versionId.equals("null")) {
            throw S3Failure.of(S3Code.NO_SUCH_VERSION, versionId);
        }
    }

    /// Takes each header of such a request, and refuses those that must not be ignored.
    static BiConsumer<String, String> refusing(S3Header.In in) {
        return Objects.requireNonNull(REFUSING.get(in));
    }

    /// Called for every header of every request.
    static void refuseHeader(S3Header.In in, String name, String value) {
        for (var header : S3Header.refusableLike(name)) {
            if (header.is(name) && header.refuses(in, value)) {
                throw refusal(header, value);
            }
        }
        if (name.equalsIgnoreCase(ACL)) {
            requireOwnersAcl(value, S3Code.ACL_NOT_SUPPORTED);
        }
    }

    private static S3Failure refusal(S3Header header, String value) {
        return switch (header.name()) {
            case S3Header.RDMA_TOKEN -> S3Failure.noRdma();
            case Encryption.HEADER -> Encryption.onlyOfNewObjects();
            case S3Header.ENCRYPTION_KEYS, S3Header.ENCRYPTION_KEYS_OF_SOURCE -> Encryption.noKeys(header.name());
            case OWNERSHIP ->
                OWNERSHIPS.contains(value)
                        ? refusalOf(header, value)
                        : S3Failure.invalidArgument(OWNERSHIP, value, "Unknown " + OWNERSHIP + ": " + value);
            default -> refusalOf(header, value);
        };
    }

    private static S3Failure refusalOf(S3Header header, String value) {
        return new S3Failure(
                S3Code.NOT_IMPLEMENTED,
                "Not served here: the header %s: %s (%s)".formatted(header.name(), value, header.use()),
                header.name());
    }

    /// For what belongs to an upload that was begun without it, or with it.
    static void refuseEncryption(Headers headers) {
        if (headers.has(Encryption.HEADER)) {
            throw Encryption.onlyOfNewObjects();
        }
    }

    /// What CreateBucket says of ACLs, and of who owns the objects.
    static void refuseBucketAcl(Headers headers) {
        headers.first(ACL).ifPresent(acl -> requireOwnersAcl(acl, S3Code.INVALID_BUCKET_ACL));
    }

    /// What an action that sets an ACL may say: nothing that is not so anyway.
    static void requireOwnersAcl(Headers headers) {
        var acl = headers.first(ACL)
                .orElseThrow(() -> new S3Failure(
                        S3Code.ACL_NOT_SUPPORTED,
                        "The bucket does not allow ACLs. To let everyone read, set a bucket policy."));
        requireOwnersAcl(acl, S3Code.ACL_NOT_SUPPORTED);
    }

    /// Everything belongs to the bucket's owner, as where S3's ACLs are disabled.
    ///
    /// @param otherwise S3's code for another ACL that it knows
    private static void requireOwnersAcl(String acl, S3Code otherwise) {
        switch (acl) {
            case "private", "bucket-owner-full-control", "bucket-owner-read" -> {}
            case "public-read", "public-read-write", "authenticated-read", "aws-exec-read", "log-delivery-write" ->
                throw new S3Failure(
                        otherwise,
                        "The bucket does not allow ACLs (x-amz-acl: %s). To let everyone read, set a bucket policy."
                                .formatted(acl));
            default -> throw S3Failure.invalidArgument(ACL, acl, "Unknown x-amz-acl: " + acl);
        }
    }
}
