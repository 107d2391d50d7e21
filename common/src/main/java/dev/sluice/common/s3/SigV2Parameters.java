package dev.sluice.common.s3;

import java.util.Locale;
import java.util.Set;

/// The parameters of a query that AWS Signature Version 2 signs. Source: Amazon S3 developer guide, "Signing and
/// authenticating REST requests", and botocore, which signs those that came later.
///
/// Whoever has a presigned URL can add others. So none of them may have an effect, but for a refusal.
public final class SigV2Parameters {
    private static final Set<String> SIGNED = Set.of(
            "accelerate",
            "acl",
            "attributes",
            "analytics",
            "cors",
            "defaultObjectAcl",
            "delete",
            "inventory",
            "lifecycle",
            "location",
            "logging",
            "metrics",
            "notification",
            "object-lock",
            "partNumber",
            "policy",
            "replication",
            "requestPayment",
            "response-cache-control",
            "response-content-disposition",
            "response-content-encoding",
            "response-content-language",
            "response-content-type",
            "response-expires",
            "restore",
            "select",
            "select-type",
            "storageClass",
            "tagging",
            "torrent",
            "uploadId",
            "uploads",
            "versionId",
            "versioning",
            "versions",
            "website");

    private SigV2Parameters() {}

    /// As a part of the resource.
    public static boolean isSigned(String name) {
        return SIGNED.contains(name);
    }

    /// As a header: a presigned URL may carry those of S3's own, and they are signed with the request's.
    public static boolean isSignedHeader(String name) {
        return name.toLowerCase(Locale.ROOT).startsWith("x-amz-");
    }
}
