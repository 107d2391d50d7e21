package dev.sluice.common.s3.answer;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.s3.ObjectAttribute;
import dev.sluice.common.s3.S3Request;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// The document of GetObjectAttributes.
public final class AttributesXml {
    private AttributesXml() {}

    /// @param etag without quotes
    /// @param checksums of the whole object, in base64
    /// @param parts of an object that a multipart upload made
    public record Attributes(String etag, long size, Map<ChecksumAlgorithm, String> checksums, Optional<Parts> parts) {}

    /// Those of an object, by their place in it.
    public interface Parts {
        int count();

        /// Whether they have checksums: S3 lists no others.
        boolean listed();

        int number(int index);

        Part part(int index);
    }

    /// @param checksums in base64
    public record Part(int number, long size, Map<ChecksumAlgorithm, String> checksums) {}

    public static ByteBuffer of(S3Request.GetObjectAttributes request, Attributes object) {
        var xml = XmlWriter.document("GetObjectAttributesResponse", 1024);
        for (var attribute : ObjectAttribute.values()) {
            if (request.attributes().contains(attribute)) {
                write(xml, attribute, request, object);
            }
        }
        return xml.close("GetObjectAttributesResponse").finish();
    }

    private static void write(
            XmlWriter xml, ObjectAttribute attribute, S3Request.GetObjectAttributes request, Attributes object) {
        switch (attribute) {
            case ETAG -> xml.element(attribute.title(), object.etag());
            case CHECKSUM -> {
                if (!object.checksums().isEmpty()) {
                    xml.open(attribute.title());
                    CopyXml.checksums(xml, withoutCount(object.checksums()));
                    xml.element("ChecksumType", type(object.checksums())).close(attribute.title());
                }
            }
            case OBJECT_PARTS -> object.parts().ifPresent(parts -> write(xml, parts, request));
            case STORAGE_CLASS -> xml.element(attribute.title(), "STANDARD");
            case OBJECT_SIZE -> xml.element(attribute.title(), object.size());
        }
    }

    /// Here S3 does not say of how many parts a checksum is composed.
    private static Map<ChecksumAlgorithm, String> withoutCount(Map<ChecksumAlgorithm, String> checksums) {
        return checksums.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, each -> each.getValue().split("-", 2)[0]));
    }

    private static void write(XmlWriter xml, Parts parts, S3Request.GetObjectAttributes request) {
        xml.open(ObjectAttribute.OBJECT_PARTS.title()).element("PartsCount", parts.count());
        if (parts.listed()) {
            int from = 0;
            while (from < parts.count() && parts.number(from) <= request.partNumberMarker()) {
                from++;
            }
            int to = (int) Math.min(parts.count(), (long) from + request.maxParts());
            xml.element("PartNumberMarker", request.partNumberMarker())
                    .element("NextPartNumberMarker", to == from ? 0 : parts.number(to - 1))
                    .element("MaxParts", request.maxParts())
                    .element("IsTruncated", (from < to) && (to < parts.count()));
            for (int index = from; index < to; index++) {
                var part = parts.part(index);
                xml.open("Part").element("PartNumber", part.number()).element("Size", part.size());
                CopyXml.checksums(xml, part.checksums());
                xml.close("Part");
            }
        }
        xml.close(ObjectAttribute.OBJECT_PARTS.title());
    }

    /// S3's name for what an object's checksums are made of: those composed of its parts' end in the number of parts.
    public static String type(Map<ChecksumAlgorithm, String> checksums) {
        return checksums.values().stream().anyMatch(value -> value.contains("-")) ? "COMPOSITE" : "FULL_OBJECT";
    }
}
