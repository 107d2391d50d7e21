package dev.sluice.targetnode.storage.multipart;

import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request.CompletedPart;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.record.Part;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/// Compares the list of a CompleteMultipartUpload with the parts that are there.
public final class CompletedParts {
    private static final int MD5_HEX = 32;

    private CompletedParts() {}

    public static List<Part> wanted(List<CompletedPart> list, List<Part> present) {
        if (list.isEmpty()) {
            throw new StoreException.InvalidArgument("You must specify at least one part");
        }
        var byNumber = new HashMap<Integer, Part>();
        present.forEach(part -> byNumber.put(part.number(), part));
        var wanted = new ArrayList<Part>();
        for (var named : list) {
            if (!wanted.isEmpty() && named.partNumber() <= wanted.getLast().number()) {
                throw new StoreException.InvalidPartOrder();
            }
            wanted.add(match(named, byNumber));
        }
        for (var part : wanted.subList(0, wanted.size() - 1)) {
            if (part.size() < PartLayout.SMALLEST_UNIT) {
                throw new StoreException.EntityTooSmall(
                        part.number(), part.size(), PartLayout.SMALLEST_UNIT, part.etag());
            }
        }
        return wanted;
    }

    private static Part match(CompletedPart named, Map<Integer, Part> byNumber) {
        var part = byNumber.get(named.partNumber());
        if (part == null || !part.etag().equals(named.etag().replace("\"", ""))) {
            throw new StoreException.InvalidPart(named.partNumber());
        }
        for (var sum : named.checksums().entrySet()) {
            var ours = part.checksums().get(sum.getKey());
            if (ours == null) {
                throw S3Failure.invalidRequest("Part %d was uploaded with %s: it has no %s to compare. Send that one."
                        .formatted(
                                named.partNumber(),
                                part.checksums().isEmpty()
                                        ? "no checksum"
                                        : "the checksum " + part.checksums().keySet(),
                                sum.getKey()));
            }
            if (!ours.equals(sum.getValue())) {
                throw new StoreException.InvalidPart(named.partNumber(), "was uploaded with another " + sum.getKey());
            }
        }
        return part;
    }

    /// The ETag of the object that they make: the MD5 of their MD5s, and their number.
    public static String etag(List<Part> parts) {
        try {
            var md5 = MessageDigest.getInstance("MD5");
            for (var part : parts) {
                md5.update(
                        part.etag().length() == MD5_HEX
                                ? HexFormat.of().parseHex(part.etag())
                                : part.etag().getBytes(StandardCharsets.UTF_8));
            }
            return HexFormat.of().formatHex(md5.digest()) + "-" + parts.size();
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException(missing);
        }
    }
}
