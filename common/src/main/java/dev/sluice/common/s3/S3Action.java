package dev.sluice.common.s3;

import dev.sluice.common.s3.BucketSetting.Document;
import dev.sluice.common.s3.BucketSetting.Listing;
import dev.sluice.common.s3.BucketSetting.Missing;
import dev.sluice.common.s3.BucketSetting.OwnersAcl;
import dev.sluice.common.s3.BucketSetting.PolicyStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Every action of S3 (its REST API as of 2026, general purpose buckets), served or not: which method and which
/// parameter of the query ask for it, and what policies call the right to do it. docs/s3-compatibility.md is made
/// of it.
public enum S3Action {
    LIST_BUCKETS("GET", On.SERVICE, "", ""),

    CREATE_BUCKET("PUT", On.BUCKET, "", ""),
    HEAD_BUCKET("HEAD", On.BUCKET, "", "s3:ListBucket"),
    DELETE_BUCKET("DELETE", On.BUCKET, "", "s3:DeleteBucket"),
    LIST_OBJECTS("GET", On.BUCKET, "", "s3:ListBucket"),
    POST_OBJECT("POST", On.BUCKET, "", "s3:PutObject", Serving.REFUSED),
    LIST_OBJECT_VERSIONS("GET", On.BUCKET, "versions", "s3:ListBucketVersions"),
    LIST_MULTIPART_UPLOADS("GET", On.BUCKET, "uploads", "s3:ListBucketMultipartUploads"),
    DELETE_OBJECTS("POST", On.BUCKET, "delete", ""),
    GET_BUCKET_LOCATION("GET", On.BUCKET, "location", "s3:GetBucketLocation"),
    GET_BUCKET_VERSIONING("GET", On.BUCKET, "versioning", "s3:GetBucketVersioning"),
    PUT_BUCKET_VERSIONING("PUT", On.BUCKET, "versioning", "s3:PutBucketVersioning", Serving.REFUSED),
    GET_BUCKET_POLICY("GET", On.BUCKET, "policy", ""),
    PUT_BUCKET_POLICY("PUT", On.BUCKET, "policy", ""),
    DELETE_BUCKET_POLICY("DELETE", On.BUCKET, "policy", ""),
    GET_BUCKET_POLICY_STATUS("policyStatus", "s3:GetBucketPolicyStatus", new PolicyStatus()),
    GET_BUCKET_ACL("acl", "s3:GetBucketAcl", new OwnersAcl()),
    PUT_BUCKET_ACL("PUT", On.BUCKET, "acl", "s3:PutBucketAcl"),

    GET_BUCKET_ACCELERATE_CONFIGURATION(
            "accelerate", "s3:GetAccelerateConfiguration", new Document("AccelerateConfiguration", "")),
    PUT_BUCKET_ACCELERATE_CONFIGURATION(
            "PUT", On.BUCKET, "accelerate", "s3:PutAccelerateConfiguration", Serving.REFUSED),
    GET_BUCKET_ANALYTICS_CONFIGURATION(
            "analytics", "s3:GetAnalyticsConfiguration", new Listing("ListBucketAnalyticsConfigurationResult")),
    PUT_BUCKET_ANALYTICS_CONFIGURATION("PUT", On.BUCKET, "analytics", "s3:PutAnalyticsConfiguration", Serving.REFUSED),
    DELETE_BUCKET_ANALYTICS_CONFIGURATION(
            "DELETE", On.BUCKET, "analytics", "s3:PutAnalyticsConfiguration", Serving.REFUSED),
    GET_BUCKET_CORS("GET", On.BUCKET, "cors", "s3:GetBucketCORS"),
    PUT_BUCKET_CORS("PUT", On.BUCKET, "cors", "s3:PutBucketCORS"),
    DELETE_BUCKET_CORS("DELETE", On.BUCKET, "cors", "s3:PutBucketCORS"),
    GET_BUCKET_ENCRYPTION("encryption", "s3:GetEncryptionConfiguration", new BucketSetting.DriveEncryption()),
    PUT_BUCKET_ENCRYPTION("PUT", On.BUCKET, "encryption", "s3:PutEncryptionConfiguration", Serving.REFUSED),
    DELETE_BUCKET_ENCRYPTION("DELETE", On.BUCKET, "encryption", "s3:PutEncryptionConfiguration", Serving.REFUSED),
    GET_BUCKET_INTELLIGENT_TIERING_CONFIGURATION(
            "intelligent-tiering",
            "s3:GetIntelligentTieringConfiguration",
            new Listing("ListBucketIntelligentTieringConfigurationsOutput")),
    PUT_BUCKET_INTELLIGENT_TIERING_CONFIGURATION(
            "PUT", On.BUCKET, "intelligent-tiering", "s3:PutIntelligentTieringConfiguration", Serving.REFUSED),
    DELETE_BUCKET_INTELLIGENT_TIERING_CONFIGURATION(
            "DELETE", On.BUCKET, "intelligent-tiering", "s3:PutIntelligentTieringConfiguration", Serving.REFUSED),
    GET_BUCKET_INVENTORY_CONFIGURATION(
            "inventory", "s3:GetInventoryConfiguration", new Listing("ListInventoryConfigurationsResult")),
    PUT_BUCKET_INVENTORY_CONFIGURATION("PUT", On.BUCKET, "inventory", "s3:PutInventoryConfiguration", Serving.REFUSED),
    DELETE_BUCKET_INVENTORY_CONFIGURATION(
            "DELETE", On.BUCKET, "inventory", "s3:PutInventoryConfiguration", Serving.REFUSED),
    GET_BUCKET_LIFECYCLE_CONFIGURATION("GET", On.BUCKET, "lifecycle", "s3:GetLifecycleConfiguration"),
    PUT_BUCKET_LIFECYCLE_CONFIGURATION("PUT", On.BUCKET, "lifecycle", "s3:PutLifecycleConfiguration"),
    DELETE_BUCKET_LIFECYCLE("DELETE", On.BUCKET, "lifecycle", "s3:PutLifecycleConfiguration"),
    GET_BUCKET_LOGGING("logging", "s3:GetBucketLogging", new Document("BucketLoggingStatus", "")),
    PUT_BUCKET_LOGGING("PUT", On.BUCKET, "logging", "s3:PutBucketLogging", Serving.REFUSED),
    GET_BUCKET_METRICS_CONFIGURATION(
            "metrics", "s3:GetMetricsConfiguration", new Listing("ListMetricsConfigurationsResult")),
    PUT_BUCKET_METRICS_CONFIGURATION("PUT", On.BUCKET, "metrics", "s3:PutMetricsConfiguration", Serving.REFUSED),
    DELETE_BUCKET_METRICS_CONFIGURATION("DELETE", On.BUCKET, "metrics", "s3:PutMetricsConfiguration", Serving.REFUSED),
    GET_BUCKET_NOTIFICATION_CONFIGURATION(
            "notification", "s3:GetBucketNotification", new Document("NotificationConfiguration", "")),
    PUT_BUCKET_NOTIFICATION_CONFIGURATION(
            "PUT", On.BUCKET, "notification", "s3:PutBucketNotification", Serving.REFUSED),
    GET_OBJECT_LOCK_CONFIGURATION(
            "object-lock", "s3:GetBucketObjectLockConfiguration", new Missing(S3Code.NO_SUCH_OBJECT_LOCK)),
    PUT_OBJECT_LOCK_CONFIGURATION(
            "PUT", On.BUCKET, "object-lock", "s3:PutBucketObjectLockConfiguration", Serving.REFUSED),
    GET_BUCKET_OWNERSHIP_CONTROLS(
            "ownershipControls",
            "s3:GetBucketOwnershipControls",
            new Document("OwnershipControls", "<Rule><ObjectOwnership>BucketOwnerEnforced</ObjectOwnership></Rule>")),
    PUT_BUCKET_OWNERSHIP_CONTROLS(
            "PUT", On.BUCKET, "ownershipControls", "s3:PutBucketOwnershipControls", Serving.REFUSED),
    DELETE_BUCKET_OWNERSHIP_CONTROLS(
            "DELETE", On.BUCKET, "ownershipControls", "s3:PutBucketOwnershipControls", Serving.REFUSED),
    GET_PUBLIC_ACCESS_BLOCK(
            "publicAccessBlock", "s3:GetBucketPublicAccessBlock", new Missing(S3Code.NO_SUCH_PUBLIC_ACCESS_BLOCK)),
    PUT_PUBLIC_ACCESS_BLOCK("PUT", On.BUCKET, "publicAccessBlock", "s3:PutBucketPublicAccessBlock", Serving.REFUSED),
    DELETE_PUBLIC_ACCESS_BLOCK(
            "DELETE", On.BUCKET, "publicAccessBlock", "s3:PutBucketPublicAccessBlock", Serving.REFUSED),
    GET_BUCKET_REPLICATION("replication", "s3:GetReplicationConfiguration", new Missing(S3Code.NO_SUCH_REPLICATION)),
    PUT_BUCKET_REPLICATION("PUT", On.BUCKET, "replication", "s3:PutReplicationConfiguration", Serving.REFUSED),
    DELETE_BUCKET_REPLICATION("DELETE", On.BUCKET, "replication", "s3:PutReplicationConfiguration", Serving.REFUSED),
    GET_BUCKET_REQUEST_PAYMENT(
            "requestPayment",
            "s3:GetBucketRequestPayment",
            new Document("RequestPaymentConfiguration", "<Payer>BucketOwner</Payer>")),
    PUT_BUCKET_REQUEST_PAYMENT("PUT", On.BUCKET, "requestPayment", "s3:PutBucketRequestPayment", Serving.REFUSED),
    GET_BUCKET_TAGGING("GET", On.BUCKET, "tagging", "s3:GetBucketTagging"),
    PUT_BUCKET_TAGGING("PUT", On.BUCKET, "tagging", "s3:PutBucketTagging"),
    DELETE_BUCKET_TAGGING("DELETE", On.BUCKET, "tagging", "s3:PutBucketTagging"),
    GET_BUCKET_WEBSITE("website", "s3:GetBucketWebsite", new Missing(S3Code.NO_SUCH_WEBSITE)),
    PUT_BUCKET_WEBSITE("PUT", On.BUCKET, "website", "s3:PutBucketWebsite", Serving.REFUSED),
    DELETE_BUCKET_WEBSITE("DELETE", On.BUCKET, "website", "s3:DeleteBucketWebsite", Serving.REFUSED),
    GET_BUCKET_ABAC("GET", On.BUCKET, "abac", "s3:GetBucketAbac", Serving.REFUSED),
    PUT_BUCKET_ABAC("PUT", On.BUCKET, "abac", "s3:PutBucketAbac", Serving.REFUSED),
    CREATE_BUCKET_METADATA_CONFIGURATION(
            "POST", On.BUCKET, "metadataConfiguration", "s3:CreateBucketMetadataTableConfiguration", Serving.REFUSED),
    GET_BUCKET_METADATA_CONFIGURATION(
            "GET", On.BUCKET, "metadataConfiguration", "s3:GetBucketMetadataTableConfiguration", Serving.REFUSED),
    DELETE_BUCKET_METADATA_CONFIGURATION(
            "DELETE", On.BUCKET, "metadataConfiguration", "s3:DeleteBucketMetadataTableConfiguration", Serving.REFUSED),
    CREATE_BUCKET_METADATA_TABLE_CONFIGURATION(
            "POST", On.BUCKET, "metadataTable", "s3:CreateBucketMetadataTableConfiguration", Serving.REFUSED),
    GET_BUCKET_METADATA_TABLE_CONFIGURATION(
            "GET", On.BUCKET, "metadataTable", "s3:GetBucketMetadataTableConfiguration", Serving.REFUSED),
    DELETE_BUCKET_METADATA_TABLE_CONFIGURATION(
            "DELETE", On.BUCKET, "metadataTable", "s3:DeleteBucketMetadataTableConfiguration", Serving.REFUSED),
    UPDATE_BUCKET_METADATA_INVENTORY_TABLE_CONFIGURATION(
            "PUT",
            On.BUCKET,
            "metadataInventoryTable",
            "s3:UpdateBucketMetadataInventoryTableConfiguration",
            Serving.REFUSED),
    UPDATE_BUCKET_METADATA_JOURNAL_TABLE_CONFIGURATION(
            "PUT",
            On.BUCKET,
            "metadataJournalTable",
            "s3:UpdateBucketMetadataJournalTableConfiguration",
            Serving.REFUSED),
    CREATE_SESSION("GET", On.BUCKET, "session", "s3express:CreateSession", Serving.REFUSED),

    GET_OBJECT("GET", On.OBJECT, "", "s3:GetObject"),
    HEAD_OBJECT("HEAD", On.OBJECT, "", "s3:GetObject"),
    PUT_OBJECT("PUT", On.OBJECT, "", "s3:PutObject"),
    COPY_OBJECT("PUT", On.OBJECT, "", "s3:PutObject", Serving.COPIES),
    DELETE_OBJECT("DELETE", On.OBJECT, "", "s3:DeleteObject"),
    GET_OBJECT_ACL("GET", On.OBJECT, "acl", "s3:GetObjectAcl"),
    PUT_OBJECT_ACL("PUT", On.OBJECT, "acl", "s3:PutObjectAcl"),
    GET_OBJECT_TAGGING("GET", On.OBJECT, "tagging", "s3:GetObjectTagging"),
    PUT_OBJECT_TAGGING("PUT", On.OBJECT, "tagging", "s3:PutObjectTagging", Serving.REFUSED),
    DELETE_OBJECT_TAGGING("DELETE", On.OBJECT, "tagging", "s3:DeleteObjectTagging", Serving.REFUSED),
    CREATE_MULTIPART_UPLOAD("POST", On.OBJECT, "uploads", "s3:PutObject"),
    UPLOAD_PART("PUT", On.OBJECT, "uploadId", "s3:PutObject"),
    UPLOAD_PART_COPY("PUT", On.OBJECT, "uploadId", "s3:PutObject", Serving.COPIES),
    LIST_PARTS("GET", On.OBJECT, "uploadId", "s3:ListMultipartUploadParts"),
    COMPLETE_MULTIPART_UPLOAD("POST", On.OBJECT, "uploadId", "s3:PutObject"),
    ABORT_MULTIPART_UPLOAD("DELETE", On.OBJECT, "uploadId", "s3:AbortMultipartUpload"),
    GET_OBJECT_ATTRIBUTES("GET", On.OBJECT, "attributes", "s3:GetObjectAttributes"),
    GET_OBJECT_LEGAL_HOLD("GET", On.OBJECT, "legal-hold", "s3:GetObjectLegalHold", Serving.REFUSED),
    PUT_OBJECT_LEGAL_HOLD("PUT", On.OBJECT, "legal-hold", "s3:PutObjectLegalHold", Serving.REFUSED),
    GET_OBJECT_RETENTION("GET", On.OBJECT, "retention", "s3:GetObjectRetention", Serving.REFUSED),
    PUT_OBJECT_RETENTION("PUT", On.OBJECT, "retention", "s3:PutObjectRetention", Serving.REFUSED),
    GET_OBJECT_TORRENT("GET", On.OBJECT, "torrent", "s3:GetObject", Serving.REFUSED),
    RESTORE_OBJECT("POST", On.OBJECT, "restore", "s3:RestoreObject", Serving.REFUSED),
    SELECT_OBJECT_CONTENT("POST", On.OBJECT, "select", "s3:GetObject", Serving.REFUSED),
    RENAME_OBJECT("PUT", On.OBJECT, "renameObject", "s3:PutObject", Serving.REFUSED),
    UPDATE_OBJECT_ENCRYPTION("PUT", On.OBJECT, "encryption", "s3:UpdateObjectEncryption", Serving.REFUSED),
    /// Another name for it, refused since it would otherwise replace the object by its settings.
    UPDATE_ENCRYPTION("PUT", On.OBJECT, "updateEncryption", "s3:UpdateObjectEncryption", Serving.REFUSED),
    PUT_OBJECT_ANNOTATION("PUT", On.OBJECT, "annotation", "s3:PutObjectAnnotation", Serving.REFUSED),
    GET_OBJECT_ANNOTATION("GET", On.OBJECT, "annotation", "s3:GetObjectAnnotation", Serving.REFUSED),
    DELETE_OBJECT_ANNOTATION("DELETE", On.OBJECT, "annotation", "s3:DeleteObjectAnnotation", Serving.REFUSED),
    /// Not S3's own, but of servers like it: a PUT that would replace what the client wants to make longer.
    APPEND_OBJECT("PUT", On.OBJECT, "append", "s3:PutObject", Serving.REFUSED);

    /// What it concerns.
    public enum On {
        SERVICE,
        BUCKET,
        OBJECT
    }

    /// How it is answered.
    public enum Serving {
        SERVED,
        /// Served where the header x-amz-copy-source is sent.
        COPIES,
        /// Read only: nothing of it can be configured.
        SETTING,
        /// 501.
        REFUSED
    }

    private static final Map<String, List<S3Action>> BY_PARAMETER =
            Stream.of(values()).collect(Collectors.groupingBy(S3Action::parameter, HashMap::new, Collectors.toList()));

    private final String method;
    private final On on;
    private final String parameter;
    private final String permission;
    private final Serving serving;
    private final Optional<BucketSetting> setting;

    S3Action(String method, On on, String parameter, String permission) {
        this(method, on, parameter, permission, Serving.SERVED);
    }

    S3Action(String method, On on, String parameter, String permission, Serving serving) {
        this.method = method;
        this.on = on;
        this.parameter = parameter;
        this.permission = permission;
        this.serving = serving;
        this.setting = Optional.empty();
    }

    S3Action(String parameter, String permission, BucketSetting setting) {
        this.method = "GET";
        this.on = On.BUCKET;
        this.parameter = parameter;
        this.permission = permission;
        this.serving = Serving.SETTING;
        this.setting = Optional.of(setting);
    }

    /// @param parameter of the query, or empty
    /// @param copies whether the header x-amz-copy-source is sent
    public static Optional<S3Action> find(String method, On on, String parameter, boolean copies) {
        Optional<S3Action> found = Optional.empty();
        for (var action : BY_PARAMETER.getOrDefault(parameter, List.of())) {
            if (action.on == on && action.method.equals(method)) {
                if (copies == (action.serving == Serving.COPIES)) {
                    return Optional.of(action);
                }
                found = action.serving == Serving.COPIES ? found : Optional.of(action);
            }
        }
        return found;
    }

    /// Whether a parameter of this name asks for an action.
    public static boolean selects(String parameter) {
        return !parameter.isEmpty() && BY_PARAMETER.containsKey(parameter);
    }

    /// The methods that do something, for the Allow header; empty when this parameter is never served.
    public static String allowed(On on, String parameter) {
        var served = BY_PARAMETER.getOrDefault(parameter, List.of());
        if (served.stream().noneMatch(action -> action.serving == Serving.SERVED)) {
            return "";
        }
        var here = methods(on, served);
        return here.isEmpty() ? methods(on, BY_PARAMETER.getOrDefault("", List.of())) : here;
    }

    private static String methods(On on, List<S3Action> actions) {
        var found = new ArrayList<String>();
        for (var action : actions) {
            if (action.on == on && action.serving != Serving.REFUSED && !found.contains(action.method)) {
                found.add(action.method);
            }
        }
        return String.join(", ", found);
    }

    /// As Amazon names it.
    public String title() {
        return Stream.of(name().split("_"))
                .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
                .collect(Collectors.joining());
    }

    public String method() {
        return method;
    }

    public On on() {
        return on;
    }

    /// The one of the query that asks for it, or empty.
    public String parameter() {
        return parameter;
    }

    /// What policies call the right to do it. Empty for what a policy cannot deny: a bucket that is yet to be made
    /// has none; whoever could not change a policy that denies everything would be locked out by it; DeleteObjects
    /// is judged key by key.
    public String permission() {
        return permission;
    }

    public Serving serving() {
        return serving;
    }

    public Optional<BucketSetting> setting() {
        return setting;
    }
}
