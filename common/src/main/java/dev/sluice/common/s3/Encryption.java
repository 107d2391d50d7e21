package dev.sluice.common.s3;

import java.util.SortedMap;
import java.util.TreeMap;

/// Encryption at rest, as clients of S3 ask for it and are told of it. Sluice encrypts nothing itself: the drives are
/// encrypted below it, or the cloud encrypts.
public final class Encryption {
    public static final String HEADER = "x-amz-server-side-encryption";

    /// The value for which clients need no keys.
    public static final String AES256 = "AES256";

    private static final String OF_KMS = "aws:";
    private static final String INSTEAD =
            "%s: %s is served where the drives are encrypted below Sluice, or the bucket's cloud encrypts"
                    .formatted(HEADER, AES256);

    private Encryption() {}

    /// @param value of the header
    /// @throws S3Failure for another one than AES256
    public static void requireAes256(String value) {
        if (value.equals(AES256)) {
            return;
        }
        if (value.startsWith(OF_KMS)) {
            throw notImplemented(HEADER, "the header %s: %s (KMS is not used). %s".formatted(HEADER, value, INSTEAD));
        }
        throw S3Failure.invalidArgument(HEADER, value, "The encryption method specified is not supported");
    }

    /// For a header that names a key, or belongs to one. Its value is not repeated: it may be the key.
    ///
    /// @param header its name, or that of all like it
    public static S3Failure noKeys(String header) {
        return notImplemented(
                header, "the header %s (no keys of KMS or of customers are used). %s".formatted(header, INSTEAD));
    }

    /// For [#HEADER] where it means nothing.
    public static S3Failure onlyOfNewObjects() {
        return notImplemented(
                HEADER,
                "the header %s in this request: send it in PutObject, CopyObject or CreateMultipartUpload"
                        .formatted(HEADER));
    }

    /// Where the drives are not known to be encrypted.
    public static S3Failure notOfDrives() {
        return notImplemented(
                HEADER,
                "%s, for Sluice does not encrypt. Encrypt the drives below Sluice (with LUKS, for example), then set storage.encrypted = true on every node"
                        .formatted(AES256));
    }

    /// Where the cloud cannot be asked for it.
    public static S3Failure notOfCloud(String bucket) {
        return notImplemented(
                HEADER,
                "%s: %s, because the cloud behind the bucket %s does not take the header. Leave it out"
                        .formatted(HEADER, AES256, bucket));
    }

    private static S3Failure notImplemented(String header, String what) {
        return new S3Failure(S3Code.NOT_IMPLEMENTED, "Not served here: " + what, header);
    }

    /// The headers of an upload whose object the cloud is to encrypt.
    public static SortedMap<String, String> with(SortedMap<String, String> headers) {
        var changed = new TreeMap<>(headers);
        changed.put(HEADER, AES256);
        return changed;
    }

    /// The headers of its object.
    public static SortedMap<String, String> without(SortedMap<String, String> headers) {
        if (!headers.containsKey(HEADER)) {
            return headers;
        }
        var changed = new TreeMap<>(headers);
        changed.remove(HEADER);
        return changed;
    }
}
