package dev.sluice.common.s3.parse;

import dev.sluice.common.http.Headers;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import java.util.Locale;
import java.util.regex.Pattern;

/// The parts of S3 that we do not serve and therefore refuse, naming them, rather than ignore. Parameters and headers
/// that S3 does not know either are ignored, as in S3.
///
/// Accepted without effect, because they mean what we do anyway: x-amz-acl private, bucket-owner-read and
/// bucket-owner-full-control (every object belongs to the one owner of all buckets), storage class STANDARD, versionId
/// null (no bucket has versions), x-amz-expected-bucket-owner and x-amz-source-expected-bucket-owner (whoever is
/// expected: a cluster has one owner, who has no Amazon account number), x-amz-request-payer,
/// x-amz-bypass-governance-retention (nothing is retained), x-amz-mfa (nothing asks for it).
final class NotServed {
    /// Those that S3 gives look so, and those of other servers.
    private static final Pattern VERSION = Pattern.compile("null|[A-Za-z0-9._-]{16,128}");

    private NotServed() {}

    /// The only version of an object in a bucket without versions is called `null`.
    static void refuseVersion(String versionId) {
        if (!VERSION.matcher(versionId).matches()) {
            throw S3Failure.invalidArgument("versionId", versionId, "Invalid version id specified: " + versionId);
        }
        if (!versionId.equals("null")) {
            throw new S3Failure(
                    S3Code.NO_SUCH_VERSION,
                    "No bucket has versions: the only one of an object is null, not " + versionId,
                    versionId);
        }
    }

    /// Called for every header of every request, so it decides by the first characters.
    static void refuseHeader(String name, String value) {
        if (!name.regionMatches(true, 0, "x-amz-", 0, 6)) {
            return;
        }
        boolean refused = switch (name.length() > 6 ? name.charAt(6) | 0x20 : 0) {
            case 'a' -> is(name, "x-amz-acl") && !isOwnersAcl(value, S3Code.ACL_NOT_SUPPORTED);
            case 'b' -> is(name, "x-amz-bucket-object-lock-enabled") && !is(value, "false");
            case 'c' -> begins(name, "x-amz-copy-source-server-side-encryption");
            case 'g' -> begins(name, "x-amz-grant-");
            case 'i' -> begins(name, "x-amz-if-match-");
            case 'o' ->
                begins(name, "x-amz-object-lock-") || (is(name, "x-amz-object-ownership") && !isEnforced(value));
            case 'r' -> begins(name, "x-amz-rename-source");
            case 's' ->
                begins(name, "x-amz-server-side-encryption")
                        || (is(name, "x-amz-storage-class") && !value.equals("STANDARD"));
            case 't' -> is(name, "x-amz-tagging") || (is(name, "x-amz-tagging-directive") && !value.equals("COPY"));
            case 'w' -> is(name, "x-amz-website-redirect-location") || is(name, "x-amz-write-offset-bytes");
            default -> false;
        };
        if (refused) {
            var header = name.toLowerCase(Locale.ROOT);
            throw new S3Failure(S3Code.NOT_IMPLEMENTED, "Not served here: the header " + header + ": " + value, header);
        }
    }

    /// The same of a deletion, which may have conditions of its own.
    static void refuseHeaderOfDeletion(String name, String value) {
        if (!WriteHeaders.isDeleteCondition(name)) {
            refuseHeader(name, value);
        }
    }

    /// What CreateBucket says of ACLs, and of who owns the objects.
    static void refuseBucketAcl(Headers headers) {
        headers.first("x-amz-acl").ifPresent(acl -> isOwnersAcl(acl, S3Code.INVALID_BUCKET_ACL));
    }

    /// What an action that sets an ACL may say: nothing that is not so anyway.
    static void requireOwnersAcl(Headers headers) {
        var acl = headers.first("x-amz-acl")
                .orElseThrow(() -> new S3Failure(
                        S3Code.ACL_NOT_SUPPORTED,
                        "The bucket does not allow ACLs. To let everyone read, set a bucket policy."));
        isOwnersAcl(acl, S3Code.ACL_NOT_SUPPORTED);
    }

    /// Everything belongs to the bucket's owner, as where S3's ACLs are disabled.
    ///
    /// @param otherwise S3's code for another ACL that it knows
    private static boolean isOwnersAcl(String acl, S3Code otherwise) {
        return switch (acl) {
            case "private", "bucket-owner-full-control", "bucket-owner-read" -> true;
            case "public-read", "public-read-write", "authenticated-read", "aws-exec-read", "log-delivery-write" ->
                throw new S3Failure(
                        otherwise,
                        "The bucket does not allow ACLs (x-amz-acl: %s). To let everyone read, set a bucket policy."
                                .formatted(acl));
            default -> throw S3Failure.invalidArgument("x-amz-acl", acl, "Unknown x-amz-acl: " + acl);
        };
    }

    private static boolean isEnforced(String ownership) {
        return switch (ownership) {
            case "BucketOwnerEnforced" -> true;
            case "BucketOwnerPreferred", "ObjectWriter" -> false;
            default ->
                throw S3Failure.invalidArgument(
                        "x-amz-object-ownership", ownership, "Unknown x-amz-object-ownership: " + ownership);
        };
    }

    private static boolean is(String name, String expected) {
        return name.equalsIgnoreCase(expected);
    }

    private static boolean begins(String name, String beginning) {
        return name.regionMatches(true, 0, beginning, 0, beginning.length());
    }
}
