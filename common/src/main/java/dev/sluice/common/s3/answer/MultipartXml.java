package dev.sluice.common.s3.answer;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.listing.ListedPart;
import dev.sluice.common.s3.listing.ListedUpload;
import dev.sluice.common.s3.listing.PartsPage;
import dev.sluice.common.s3.listing.UploadsPage;
import java.nio.ByteBuffer;
import java.util.Map;

/// The documents about multipart uploads.
public final class MultipartXml {
    private MultipartXml() {}

    public static ByteBuffer initiated(ObjectName name, String uploadId) {
        return XmlWriter.document("InitiateMultipartUploadResult", 512)
                .element("Bucket", name.bucket())
                .element("Key", name.key())
                .element("UploadId", uploadId)
                .close("InitiateMultipartUploadResult")
                .finish();
    }

    /// What CompleteMultipartUpload made.
    ///
    /// @param location the object's URL
    /// @param etag without quotes
    /// @param fullObject whether the checksums are of the object's bytes or composed of the parts' checksums
    public record Completed(
            ObjectName name,
            String location,
            String etag,
            Map<ChecksumAlgorithm, String> checksums,
            boolean fullObject) {}

    public static ByteBuffer completed(Completed object) {
        return completed(new XmlWriter(1024).ascii(XmlWriter.DECLARATION), object);
    }

    /// Without the declaration: for an answer whose declaration (and white space to keep the client waiting) is out.
    public static ByteBuffer completedElement(Completed object) {
        return completed(new XmlWriter(1024), object);
    }

    private static ByteBuffer completed(XmlWriter xml, Completed object) {
        xml.root("CompleteMultipartUploadResult")
                .element("Location", object.location())
                .element("Bucket", object.name().bucket())
                .element("Key", object.name().key())
                .etag(object.etag());
        CopyXml.checksums(xml, object.checksums());
        if (!object.checksums().isEmpty()) {
            xml.element("ChecksumType", object.fullObject() ? "FULL_OBJECT" : "COMPOSITE");
        }
        return xml.close("CompleteMultipartUploadResult").finish();
    }

    public static ByteBuffer parts(S3Request.ListParts request, PartsPage page, Owner owner) {
        var xml =
                XmlWriter.document("ListPartsResult", 1024 + 256 * page.parts().size());
        xml.element("Bucket", request.name().bucket())
                .element("Key", request.name().key())
                .element("UploadId", request.uploadId());
        owner.write(xml, "Initiator");
        owner.write(xml, "Owner");
        xml.element("StorageClass", "STANDARD")
                .element("PartNumberMarker", request.partNumberMarker())
                .element("NextPartNumberMarker", page.next())
                .element("MaxParts", request.maxParts())
                .element("IsTruncated", page.truncated());
        page.parts().forEach(part -> part(xml, part));
        return xml.close("ListPartsResult").finish();
    }

    private static void part(XmlWriter xml, ListedPart part) {
        xml.open("Part")
                .element("PartNumber", part.partNumber())
                .element("LastModified", part.lastModified())
                .etag(part.etag())
                .element("Size", part.size());
        CopyXml.checksums(xml, part.checksums());
        xml.close("Part");
    }

    public static ByteBuffer uploads(S3Request.ListMultipartUploads request, UploadsPage page, Owner owner) {
        var xml = XmlWriter.document(
                "ListMultipartUploadsResult", 1024 + 512 * page.uploads().size());
        boolean encode = request.encodeKeys();
        xml.element("Bucket", request.bucket())
                .key("KeyMarker", request.keyMarker(), encode)
                .element("UploadIdMarker", request.uploadIdMarker());
        if (page.truncated()) {
            xml.key("NextKeyMarker", page.nextKeyMarker(), encode)
                    .element("NextUploadIdMarker", page.nextUploadIdMarker());
        }
        xml.key("Prefix", request.prefix(), encode);
        if (!request.delimiter().isEmpty()) {
            xml.key("Delimiter", request.delimiter(), encode);
        }
        if (encode) {
            xml.element("EncodingType", "url");
        }
        xml.element("MaxUploads", request.maxUploads()).element("IsTruncated", page.truncated());
        page.uploads().forEach(upload -> upload(xml, upload, encode, owner));
        for (var prefix : page.commonPrefixes()) {
            xml.open("CommonPrefixes").key("Prefix", prefix, encode).close("CommonPrefixes");
        }
        return xml.close("ListMultipartUploadsResult").finish();
    }

    private static void upload(XmlWriter xml, ListedUpload upload, boolean encode, Owner owner) {
        xml.open("Upload").key("Key", upload.key(), encode).element("UploadId", upload.uploadId());
        owner.write(xml, "Initiator");
        owner.write(xml, "Owner");
        xml.element("StorageClass", "STANDARD")
                .element("Initiated", upload.initiated())
                .close("Upload");
    }
}
