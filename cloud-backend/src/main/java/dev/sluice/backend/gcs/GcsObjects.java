package dev.sluice.backend.gcs;

import com.google.cloud.storage.BlobId;
import com.google.cloud.storage.BlobInfo;
import dev.sluice.backend.BackendObject;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.s3.WriteAttributes;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// An object as GCS describes it, in our words, and the other way round.
final class GcsObjects {
    /// GCS has no Expires of its own; it is kept as user metadata under this name.
    private static final String EXPIRES = "sluice-expires";

    private GcsObjects() {}

    static BackendObject object(String key, BlobInfo blob) {
        var md5 = Optional.ofNullable(blob.getMd5ToHexString());
        var version = String.valueOf(blob.getGeneration());
        var crc = blob.getCrc32c();
        return new BackendObject(
                key,
                size(blob),
                md5.orElse("generation-" + version),
                version,
                modified(blob),
                headers(blob),
                userMetadata(blob),
                crc == null ? Map.of() : Map.of(ChecksumAlgorithm.CRC32C, crc),
                md5,
                Optional.empty());
    }

    static long size(BlobInfo blob) {
        return Optional.ofNullable(blob.getSize()).orElse(0L);
    }

    static Instant modified(BlobInfo blob) {
        var time = blob.getUpdateTimeOffsetDateTime();
        return time == null ? Instant.EPOCH : time.toInstant();
    }

    static BlobInfo info(BlobId id, WriteAttributes attributes) {
        Map<String, String> headers = attributes.headers();
        var metadata = new HashMap<>(attributes.userMetadata());
        Optional.ofNullable(headers.get("Expires")).ifPresent(value -> metadata.put(EXPIRES, value));
        var info = BlobInfo.newBuilder(id)
                .setContentType(headers.get("Content-Type"))
                .setContentEncoding(headers.get("Content-Encoding"))
                .setContentDisposition(headers.get("Content-Disposition"))
                .setContentLanguage(headers.get("Content-Language"))
                .setCacheControl(headers.get("Cache-Control"))
                .setMetadata(metadata);
        Optional.ofNullable(attributes.checksums().get(ChecksumAlgorithm.CRC32C))
                .ifPresent(info::setCrc32c);
        return info.build();
    }

    private static SortedMap<String, String> headers(BlobInfo blob) {
        var headers = new TreeMap<String, String>();
        keep(headers, "Content-Type", blob.getContentType());
        keep(headers, "Content-Encoding", blob.getContentEncoding());
        keep(headers, "Content-Disposition", blob.getContentDisposition());
        keep(headers, "Content-Language", blob.getContentLanguage());
        keep(headers, "Cache-Control", blob.getCacheControl());
        var metadata = blob.getMetadata();
        keep(headers, "Expires", metadata == null ? null : metadata.get(EXPIRES));
        return headers;
    }

    private static void keep(SortedMap<String, String> headers, String name, @Nullable String value) {
        if (value != null && !value.isEmpty()) {
            headers.put(name, value);
        }
    }

    private static SortedMap<String, String> userMetadata(BlobInfo blob) {
        var kept = new TreeMap<String, String>();
        var metadata = blob.getMetadata();
        if (metadata != null) {
            metadata.forEach((name, value) -> {
                if (value != null && !name.equals(EXPIRES)) {
                    kept.put(name.toLowerCase(java.util.Locale.ROOT), value);
                }
            });
        }
        return kept;
    }
}
