package dev.sluice.common.s3.answer;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Map;

/// The results of CopyObject and UploadPartCopy.
public final class CopyXml {
    private CopyXml() {}

    public static ByteBuffer object(String etag, Instant modified, Map<ChecksumAlgorithm, String> checksums) {
        return result("CopyObjectResult", etag, modified, checksums);
    }

    public static ByteBuffer part(String etag, Instant modified, Map<ChecksumAlgorithm, String> checksums) {
        return result("CopyPartResult", etag, modified, checksums);
    }

    private static ByteBuffer result(
            String root, String etag, Instant modified, Map<ChecksumAlgorithm, String> checksums) {
        var xml = XmlWriter.document(root, 512).etag(etag).element("LastModified", modified);
        checksums(xml, checksums);
        return xml.close(root).finish();
    }

    static void checksums(XmlWriter xml, Map<ChecksumAlgorithm, String> checksums) {
        for (var algorithm : ChecksumAlgorithm.values()) {
            var value = checksums.get(algorithm);
            if (value != null) {
                xml.element("Checksum" + algorithm.name(), value);
            }
        }
    }
}
