package dev.sluice.common.s3.answer;

import dev.sluice.common.s3.listing.ContinuationToken;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;

/// The documents about buckets.
public final class BucketXml {
    private BucketXml() {}

    /// One bucket in ListBuckets.
    public record Entry(String name, Instant created) {}

    /// @param buckets in the order of their names
    /// @param region of all of them
    /// @param truncated whether there are more, after the last of these
    public static ByteBuffer listBuckets(
            Owner owner, String prefix, List<Entry> buckets, String region, boolean truncated) {
        var xml = XmlWriter.document("ListAllMyBucketsResult", 512 + 192 * buckets.size());
        owner.write(xml, "Owner");
        xml.open("Buckets");
        for (var bucket : buckets) {
            xml.open("Bucket")
                    .element("Name", bucket.name())
                    .element("CreationDate", bucket.created())
                    .element("BucketRegion", region)
                    .close("Bucket");
        }
        xml.close("Buckets");
        if (!prefix.isEmpty()) {
            xml.element("Prefix", prefix);
        }
        if (truncated) {
            xml.element(
                    "ContinuationToken",
                    ContinuationToken.encode(buckets.getLast().name()));
        }
        return xml.close("ListAllMyBucketsResult").finish();
    }

    /// S3 calls us-east-1 by no name.
    public static ByteBuffer location(String region) {
        var name = region.equals("us-east-1") || region.equals("*") ? "" : region;
        return XmlWriter.document("LocationConstraint", 256)
                .text(name)
                .close("LocationConstraint")
                .finish();
    }

    /// No bucket has versions; clients ask all the same.
    public static ByteBuffer versioning() {
        return XmlWriter.document("VersioningConfiguration", 256)
                .close("VersioningConfiguration")
                .finish();
    }
}
