package dev.sluice.common.s3.answer;

import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.listing.ContinuationToken;
import dev.sluice.common.s3.listing.ListedObject;
import dev.sluice.common.s3.listing.ListingPage;
import java.nio.ByteBuffer;

/// ListObjects, V1 and V2.
public final class ListObjectsXml {
    private ListObjectsXml() {}

    public static ByteBuffer of(S3Request.ListObjects request, ListingPage page, Owner owner) {
        int entries = page.contents().size() + page.commonPrefixes().size();
        var xml = XmlWriter.document("ListBucketResult", 1024 + 320 * entries);
        boolean encode = request.encodeKeys();
        xml.element("Name", request.bucket()).key("Prefix", request.prefix(), encode);
        if (request.v2()) {
            positionV2(xml, request, page, entries);
        } else {
            positionV1(xml, request, page);
        }
        xml.element("MaxKeys", request.maxKeys());
        if (!request.delimiter().isEmpty()) {
            xml.key("Delimiter", request.delimiter(), encode);
        }
        if (encode) {
            xml.element("EncodingType", "url");
        }
        xml.element("IsTruncated", page.truncated());
        for (var object : page.contents()) {
            object(xml, object, encode, request.fetchOwner(), owner);
        }
        for (var prefix : page.commonPrefixes()) {
            xml.open("CommonPrefixes").key("Prefix", prefix, encode).close("CommonPrefixes");
        }
        return xml.close("ListBucketResult").finish();
    }

    /// ListObjectVersions: the only version of each object is called `null`.
    public static ByteBuffer versions(S3Request.ListObjectVersions request, ListingPage page, Owner owner) {
        int entries = page.contents().size() + page.commonPrefixes().size();
        var xml = XmlWriter.document("ListVersionsResult", 1024 + 420 * entries);
        boolean encode = request.encodeKeys();
        xml.element("Name", request.bucket())
                .key("Prefix", request.prefix(), encode)
                .key("KeyMarker", request.after(), encode)
                .element("VersionIdMarker", "");
        if (page.truncated()) {
            xml.key("NextKeyMarker", page.next().orElseThrow(), encode).element("NextVersionIdMarker", "null");
        }
        xml.element("MaxKeys", request.maxKeys());
        if (!request.delimiter().isEmpty()) {
            xml.key("Delimiter", request.delimiter(), encode);
        }
        if (encode) {
            xml.element("EncodingType", "url");
        }
        xml.element("IsTruncated", page.truncated());
        for (var object : page.contents()) {
            xml.ascii("<Version>").key("Key", object.key(), encode);
            xml.ascii("<VersionId>null</VersionId><IsLatest>true</IsLatest>");
            described(xml, object);
            owner.write(xml, "Owner");
            xml.ascii("<StorageClass>STANDARD</StorageClass></Version>");
        }
        for (var prefix : page.commonPrefixes()) {
            xml.open("CommonPrefixes").key("Prefix", prefix, encode).close("CommonPrefixes");
        }
        return xml.close("ListVersionsResult").finish();
    }

    private static void described(XmlWriter xml, ListedObject object) {
        xml.ascii("<LastModified>").time(object.lastModified()).ascii("</LastModified>");
        xml.etag(object.etag());
        xml.ascii("<Size>").number(object.size()).ascii("</Size>");
    }

    /// NextMarker only with a delimiter, as in S3: without one the last key is the marker.
    private static void positionV1(XmlWriter xml, S3Request.ListObjects request, ListingPage page) {
        xml.key("Marker", request.after(), request.encodeKeys());
        if (page.truncated() && !request.delimiter().isEmpty()) {
            xml.key("NextMarker", page.next().orElseThrow(), request.encodeKeys());
        }
    }

    private static void positionV2(XmlWriter xml, S3Request.ListObjects request, ListingPage page, int entries) {
        xml.element("KeyCount", entries);
        if (request.continuationToken().isPresent()) {
            xml.element("ContinuationToken", request.continuationToken().get());
        }
        if (request.startAfter().isPresent()) {
            xml.key("StartAfter", request.startAfter().get(), request.encodeKeys());
        }
        if (page.truncated()) {
            xml.element(
                    "NextContinuationToken",
                    ContinuationToken.encode(page.next().orElseThrow()));
        }
    }

    private static void object(XmlWriter xml, ListedObject object, boolean encode, boolean withOwner, Owner owner) {
        xml.ascii("<Contents>").key("Key", object.key(), encode);
        described(xml, object);
        if (withOwner) {
            owner.write(xml, "Owner");
        }
        xml.ascii("<StorageClass>STANDARD</StorageClass></Contents>");
    }
}
