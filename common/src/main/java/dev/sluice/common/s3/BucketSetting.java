package dev.sluice.common.s3;

import dev.sluice.common.s3.BucketSetting.Answer.Document;
import dev.sluice.common.s3.BucketSetting.Answer.Listing;
import dev.sluice.common.s3.BucketSetting.Answer.Missing;
import dev.sluice.common.s3.BucketSetting.Answer.OwnersAcl;
import dev.sluice.common.s3.BucketSetting.Answer.PolicyStatus;

/// What S3's buckets can be configured with, and ours cannot: a client that asks is told so, as S3 tells of a bucket
/// where nothing is configured. To change it is refused.
public enum BucketSetting {
    ACCELERATE("accelerate", "s3:GetAccelerateConfiguration", new Document("AccelerateConfiguration", "")),
    ACL("acl", "s3:GetBucketAcl", new OwnersAcl()),
    ANALYTICS("analytics", "s3:GetAnalyticsConfiguration", new Listing("ListBucketAnalyticsConfigurationResult")),
    CORS("cors", "s3:GetBucketCORS", new Missing("NoSuchCORSConfiguration", "CORS")),
    ENCRYPTION(
            "encryption",
            "s3:GetEncryptionConfiguration",
            new Missing("ServerSideEncryptionConfigurationNotFoundError", "server-side encryption")),
    INTELLIGENT_TIERING(
            "intelligent-tiering",
            "s3:GetIntelligentTieringConfiguration",
            new Listing("ListBucketIntelligentTieringConfigurationsOutput")),
    INVENTORY("inventory", "s3:GetInventoryConfiguration", new Listing("ListInventoryConfigurationsResult")),
    LIFECYCLE("lifecycle", "s3:GetLifecycleConfiguration", new Missing("NoSuchLifecycleConfiguration", "lifecycle")),
    LOGGING("logging", "s3:GetBucketLogging", new Document("BucketLoggingStatus", "")),
    METRICS("metrics", "s3:GetMetricsConfiguration", new Listing("ListMetricsConfigurationsResult")),
    NOTIFICATION("notification", "s3:GetBucketNotification", new Document("NotificationConfiguration", "")),
    OBJECT_LOCK(
            "object-lock",
            "s3:GetBucketObjectLockConfiguration",
            new Missing("ObjectLockConfigurationNotFoundError", "object lock")),
    OWNERSHIP_CONTROLS(
            "ownershipControls",
            "s3:GetBucketOwnershipControls",
            new Document("OwnershipControls", "<Rule><ObjectOwnership>BucketOwnerEnforced</ObjectOwnership></Rule>")),
    POLICY_STATUS("policyStatus", "s3:GetBucketPolicyStatus", new PolicyStatus()),
    PUBLIC_ACCESS_BLOCK(
            "publicAccessBlock",
            "s3:GetBucketPublicAccessBlock",
            new Missing("NoSuchPublicAccessBlockConfiguration", "public access block")),
    REPLICATION(
            "replication",
            "s3:GetReplicationConfiguration",
            new Missing("ReplicationConfigurationNotFoundError", "replication to other buckets")),
    REQUEST_PAYMENT(
            "requestPayment",
            "s3:GetBucketRequestPayment",
            new Document("RequestPaymentConfiguration", "<Payer>BucketOwner</Payer>")),
    TAGGING("tagging", "s3:GetBucketTagging", new Missing("NoSuchTagSet", "tag")),
    WEBSITE("website", "s3:GetBucketWebsite", new Missing("NoSuchWebsiteConfiguration", "website"));

    private final String parameter;
    private final String action;
    private final Answer answer;

    /// What GET returns.
    public sealed interface Answer {
        /// @param root its element
        /// @param content in XML
        record Document(String root, String content) implements Answer {}

        /// An empty list; 404 with an `id`.
        record Listing(String root) implements Answer {}

        /// 404.
        ///
        /// @param code S3's
        /// @param what the bucket has none
        record Missing(String code, String what) implements Answer {}

        /// Everything belongs to the one owner.
        record OwnersAcl() implements Answer {}

        record PolicyStatus() implements Answer {}
    }

    BucketSetting(String parameter, String action, Answer answer) {
        this.parameter = parameter;
        this.action = action;
        this.answer = answer;
    }

    /// The parameter of a query that asks for it.
    public String parameter() {
        return parameter;
    }

    /// What policies call the question.
    public String action() {
        return action;
    }

    public Answer answer() {
        return answer;
    }
}
