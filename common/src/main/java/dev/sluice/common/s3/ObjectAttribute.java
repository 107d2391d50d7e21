package dev.sluice.common.s3;

import java.util.EnumSet;
import java.util.Set;

/// What GetObjectAttributes can be asked for.
public enum ObjectAttribute {
    ETAG("ETag"),
    CHECKSUM("Checksum"),
    OBJECT_PARTS("ObjectParts"),
    STORAGE_CLASS("StorageClass"),
    OBJECT_SIZE("ObjectSize");

    public static final String HEADER = "x-amz-object-attributes";

    private final String title;

    ObjectAttribute(String title) {
        this.title = title;
    }

    /// @param lines of the header
    /// @throws S3Failure when they name none, or one that S3 does not know
    public static Set<ObjectAttribute> of(Iterable<String> lines) {
        var found = EnumSet.noneOf(ObjectAttribute.class);
        for (var line : lines) {
            for (var name : line.split(",")) {
                if (!name.isBlank()) {
                    found.add(named(name.trim()));
                }
            }
        }
        if (found.isEmpty()) {
            throw S3Failure.invalidRequest(
                    "The %s header specifying the attributes to be retrieved is either missing or empty"
                            .formatted(HEADER));
        }
        return found;
    }

    private static ObjectAttribute named(String name) {
        for (var each : values()) {
            if (each.title.equals(name)) {
                return each;
            }
        }
        throw S3Failure.invalidArgument(HEADER, name, "Invalid attribute name specified.");
    }

    /// As in the header and in the answer.
    public String title() {
        return title;
    }
}
