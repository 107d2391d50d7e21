package dev.sluice.common.s3.answer;

import dev.sluice.common.s3.Encryption;
import dev.sluice.common.s3.Tags;
import java.nio.ByteBuffer;

/// The documents about what is not configured, and who may do what.
public final class SettingXml {
    private SettingXml() {}

    /// @param content in XML
    public static ByteBuffer document(String root, String content) {
        return XmlWriter.document(root, 512).ascii(content).close(root).finish();
    }

    /// GetBucketEncryption's, where all drives are encrypted.
    public static ByteBuffer encryption() {
        return XmlWriter.document("ServerSideEncryptionConfiguration", 512)
                .open("Rule")
                .open("ApplyServerSideEncryptionByDefault")
                .element("SSEAlgorithm", Encryption.AES256)
                .close("ApplyServerSideEncryptionByDefault")
                .element("BucketKeyEnabled", false)
                .close("Rule")
                .close("ServerSideEncryptionConfiguration")
                .finish();
    }

    public static ByteBuffer emptyList(String root) {
        return XmlWriter.document(root, 256)
                .element("IsTruncated", false)
                .close(root)
                .finish();
    }

    /// A bucket's or an object's: there are no others than the owner.
    public static ByteBuffer acl(Owner owner) {
        var xml = XmlWriter.document("AccessControlPolicy", 1024);
        owner.write(xml, "Owner");
        xml.open("AccessControlList").open("Grant");
        xml.ascii("<Grantee xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"CanonicalUser\">");
        owner.writeNames(xml);
        return xml.close("Grantee")
                .element("Permission", "FULL_CONTROL")
                .close("Grant")
                .close("AccessControlList")
                .close("AccessControlPolicy")
                .finish();
    }

    public static ByteBuffer policyStatus(boolean isPublic) {
        return XmlWriter.document("PolicyStatus", 256)
                .element("IsPublic", isPublic)
                .close("PolicyStatus")
                .finish();
    }

    public static ByteBuffer tagging(Tags tags) {
        var xml = XmlWriter.document("Tagging", 1024).open("TagSet");
        tags.values()
                .forEach((key, value) -> xml.open("Tag")
                        .element("Key", key)
                        .element("Value", value)
                        .close("Tag"));
        return xml.close("TagSet").close("Tagging").finish();
    }
}
