package dev.sluice.common.s3.parse;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.s3.DeleteConditions;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.Tags;
import dev.sluice.common.store.StoreException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The XML bodies that clients send. Each is read whole up to its limit, which is what the largest legal request needs:
/// a thousand keys of 1024 bytes with conditions, ten thousand parts with a SHA-512 each.
public final class S3Bodies {
    public static final int LARGEST_DELETE = 3 << 19;
    public static final int LARGEST_COMPLETE = 4 << 20;
    public static final int LARGEST_CONFIGURATION = 64 << 10;
    private static final int MOST_KEYS = 1000;
    private static final int LONGEST_ETAG = 256;
    private static final int MOST_PARTS = 10_000;

    private S3Bodies() {}

    /// The bytes of a body, MalformedXML beyond the limit.
    ///
    /// @throws IOException when the client broke off or its body fails its checks
    public static byte[] read(InputStream body, int limit) throws IOException {
        var bytes = body.readNBytes(limit + 1);
        checkSize(bytes, limit);
        return bytes;
    }

    /// The same of a request's body, which stays the caller's to close.
    public static byte[] read(ByteSource body, int limit) throws IOException {
        var bytes = new ByteArrayOutputStream();
        for (var next = body.next(); next.hasRemaining(); next = body.next()) {
            if (next.remaining() > limit - bytes.size()) {
                throw tooLarge(limit);
            }
            var piece = new byte[next.remaining()];
            next.get(piece);
            bytes.writeBytes(piece);
        }
        return bytes.toByteArray();
    }

    /// DeleteObjects. A request with an entry that cannot be understood is refused whole: ignoring it would delete
    /// too much.
    public static S3Request.DeleteList deleteObjects(byte[] body) {
        checkSize(body, LARGEST_DELETE);
        var deletions = new ArrayList<S3Request.Deletion>();
        var quiet = new boolean[1];
        var xml = XmlBody.open(body, "Delete");
        xml.children(name -> {
            switch (name) {
                case "Quiet" -> quiet[0] = xml.text().trim().equalsIgnoreCase("true");
                case "Object" -> {
                    if (deletions.size() == MOST_KEYS) {
                        throw XmlBody.malformed("More than " + MOST_KEYS + " keys");
                    }
                    deletions.add(deletion(xml));
                }
                default -> throw unknown(name);
            }
        });
        xml.end();
        if (deletions.isEmpty()) {
            throw XmlBody.malformed("No key to delete");
        }
        return new S3Request.DeleteList(List.copyOf(deletions), quiet[0]);
    }

    private static S3Request.Deletion deletion(XmlBody xml) {
        var fields = new HashMap<String, String>();
        xml.children(name -> {
            switch (name) {
                case "Key", "VersionId", "ETag", "LastModifiedTime", "Size" -> {
                    if (fields.put(name, xml.text()) != null) {
                        throw XmlBody.malformed("An Object with two elements " + name);
                    }
                }
                default -> throw unknown(name);
            }
        });
        var key = fields.getOrDefault("Key", "");
        if (key.isEmpty()) {
            throw XmlBody.malformed("An Object without a Key");
        }
        Address.checkLength(key);
        var version = fields.getOrDefault("VersionId", "");
        if (!version.isEmpty()) {
            NotServed.refuseVersion(version);
        }
        return new S3Request.Deletion(key, conditions(fields));
    }

    private static DeleteConditions conditions(Map<String, String> fields) {
        var etag = Optional.ofNullable(fields.get("ETag")).map(String::trim);
        if (etag.isPresent() && etag.get().length() > LONGEST_ETAG) {
            throw S3Failure.invalidArgument(
                    "ETag", etag.get(), "An ETag to delete is longer than " + LONGEST_ETAG + " characters");
        }
        return new DeleteConditions(
                etag,
                Optional.ofNullable(fields.get("Size")).map(text -> Numbers.size("Size", text.trim())),
                Optional.ofNullable(fields.get("LastModifiedTime"))
                        .map(text -> HttpDate.required("LastModifiedTime", text.trim())));
    }

    /// CompleteMultipartUpload: the parts in strictly ascending order.
    ///
    /// @throws StoreException.InvalidPartOrder when they are not
    public static List<S3Request.CompletedPart> completeMultipartUpload(byte[] body) {
        checkSize(body, LARGEST_COMPLETE);
        var parts = new ArrayList<S3Request.CompletedPart>();
        var xml = XmlBody.open(body, "CompleteMultipartUpload");
        xml.children(name -> {
            if (!name.equals("Part")) {
                throw unknown(name);
            }
            if (parts.size() == MOST_PARTS) {
                throw XmlBody.malformed("More than " + MOST_PARTS + " parts");
            }
            var part = part(xml);
            if (!parts.isEmpty() && part.partNumber() <= parts.getLast().partNumber()) {
                throw new StoreException.InvalidPartOrder();
            }
            parts.add(part);
        });
        xml.end();
        if (parts.isEmpty()) {
            throw XmlBody.malformed("You must specify at least one part");
        }
        return List.copyOf(parts);
    }

    private static S3Request.CompletedPart part(XmlBody xml) {
        var fields = new HashMap<String, String>();
        var checksums = new EnumMap<ChecksumAlgorithm, String>(ChecksumAlgorithm.class);
        xml.children(name -> {
            if (name.equals("PartNumber") || name.equals("ETag")) {
                fields.put(name, xml.text().trim());
            } else if (name.startsWith("Checksum")) {
                var algorithm = ChecksumAlgorithm.ofName(name.substring(8)).orElseThrow(() -> unknown(name));
                ChecksumHeaders.put(
                        checksums,
                        algorithm,
                        ChecksumHeaders.checked(algorithm, xml.text().trim(), false));
            } else {
                throw unknown(name);
            }
        });
        var number = fields.get("PartNumber");
        var etag = fields.get("ETag");
        if (number == null || etag == null) {
            throw XmlBody.malformed("A Part needs a PartNumber and an ETag");
        }
        return new S3Request.CompletedPart(Numbers.partNumber(number), unquoted(etag), Map.copyOf(checksums));
    }

    /// CreateBucket: an empty body, or a configuration that names no other place than ours.
    ///
    /// @param region ours; `*` takes any
    /// @return the bucket's tags
    public static Tags createBucket(byte[] body, String region) {
        checkSize(body, LARGEST_CONFIGURATION);
        if (body.length == 0) {
            return Tags.NONE;
        }
        var tags = new LinkedHashMap<String, String>();
        var xml = XmlBody.open(body, "CreateBucketConfiguration");
        xml.children(name -> {
            switch (name) {
                case "LocationConstraint" -> checkLocation(xml.text().trim(), region);
                case "Tags" -> tags(xml, tags);
                case "Location", "Bucket" -> throw S3Failure.notImplemented(name + " in CreateBucketConfiguration");
                default -> throw unknown(name);
            }
        });
        xml.end();
        Tags.requireAtMost(Tags.MOST_OF_BUCKET, "Bucket", tags.size());
        return new Tags(tags);
    }

    /// PutBucketTagging, and what GetObjectTagging answers.
    public static Tags tagging(byte[] body) {
        var tags = new LinkedHashMap<String, String>();
        var found = new boolean[1];
        var xml = XmlBody.open(body, "Tagging");
        xml.children(name -> {
            if (!name.equals("TagSet") || found[0]) {
                throw unknown(name);
            }
            found[0] = true;
            tags(xml, tags);
        });
        xml.end();
        if (!found[0]) {
            throw XmlBody.malformed("A Tagging needs a TagSet");
        }
        Tags.requireAtMost(Tags.MOST_OF_BUCKET, "Bucket", tags.size());
        return new Tags(tags);
    }

    private static void tags(XmlBody xml, Map<String, String> tags) {
        xml.children(name -> {
            if (!name.equals("Tag")) {
                throw unknown(name);
            }
            var fields = new HashMap<String, String>();
            xml.children(field -> {
                if (!(field.equals("Key") || field.equals("Value")) || fields.put(field, xml.text()) != null) {
                    throw unknown(field);
                }
            });
            var key = fields.get("Key");
            var value = fields.get("Value");
            if (key == null || value == null) {
                throw XmlBody.malformed("A Tag needs a Key and a Value");
            }
            Tags.add(tags, key, value);
        });
    }

    private static void checkLocation(String location, String region) {
        if (!location.isEmpty() && !location.equals(region) && !region.equals("*")) {
            throw new S3Failure(
                    S3Code.INVALID_LOCATION_CONSTRAINT,
                    "The specified location-constraint is not valid: this cluster is " + region);
        }
    }

    private static String unquoted(String etag) {
        return etag.length() >= 2 && etag.startsWith("\"") && etag.endsWith("\"")
                ? etag.substring(1, etag.length() - 1)
                : etag;
    }

    private static void checkSize(byte[] body, int limit) {
        if (body.length > limit) {
            throw tooLarge(limit);
        }
    }

    private static S3Failure tooLarge(int limit) {
        return XmlBody.malformed("More than " + limit + " bytes");
    }

    private static S3Failure unknown(String element) {
        return XmlBody.malformed("Unexpected element " + element);
    }
}
