package dev.sluice.common.s3;

/// What S3's buckets can be configured with, and ours cannot: the answer to a GET, which tells what S3 tells of a
/// bucket where nothing is configured. To change it is refused.
public sealed interface BucketSetting {
    /// @param root its element
    /// @param content in XML
    record Document(String root, String content) implements BucketSetting {}

    /// An empty list; 404 with an `id`.
    record Listing(String root) implements BucketSetting {}

    /// 404.
    record Missing(S3Code code) implements BucketSetting {}

    /// AES256 where the operator says that the drives are encrypted, in a bucket of no cloud's; else 404.
    record DriveEncryption() implements BucketSetting {}

    /// Everything belongs to the one owner.
    record OwnersAcl() implements BucketSetting {}

    /// Whether the bucket's policy, if it has one, lets everyone in.
    record PolicyStatus() implements BucketSetting {}
}
