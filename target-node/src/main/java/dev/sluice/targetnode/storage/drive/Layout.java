package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.KeyHash;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Part;
import dev.sluice.targetnode.storage.record.RecordFormat;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/// Where things lie on a drive. A key's own path holds it when every part of the key can be the name of a file; any
/// other key, and one that meets a file or folder of another key, has a path made from its hash. Slices of objects have
/// own paths in a folder apart, where nobody takes them for objects.
public final class Layout {
    public static final String SYSTEM = ".sluice";
    public static final String INDEX = SYSTEM + "/index";
    public static final String OBJECTS = "objects";
    public static final String SLICES = "slices";
    public static final String WORK = SYSTEM + "/work";
    public static final String AUX = SYSTEM + "/aux";
    public static final String ESCAPED = SYSTEM + "/escaped";
    static final String BUCKETS = SYSTEM + "/buckets";
    public static final String UPLOADS = SYSTEM + "/uploads";
    public static final String TRASH = SYSTEM + "/trash";
    public static final String SHARDS = SYSTEM + "/shards";
    private static final String PUT_ASIDE = ".unreadable";
    private static final Pattern IN_ESCAPED = Pattern.compile(Pattern.quote(ESCAPED) + "/([0-9]{1,18})/[0-9a-f]{64}");
    private static final Pattern NAMING = Pattern.compile("([0-9]{1,18})\\.([A-Za-z0-9_][A-Za-z0-9._-]*)");
    private static final int LONGEST_NAME = 255;
    private static final int LONGEST_PATH = 2048;

    private Layout() {}

    /// Whether the key can be a path: no empty, '.' or '..' part, none over 255 bytes, no NUL.
    static boolean isPath(String key) {
        if (key.isEmpty() || key.indexOf('\0') >= 0 || key.length() > LONGEST_PATH) {
            return false;
        }
        return Arrays.stream(key.split("/", -1))
                .noneMatch(part -> part.isEmpty()
                        || part.equals(".")
                        || part.equals("..")
                        || part.getBytes(StandardCharsets.UTF_8).length > LONGEST_NAME);
    }

    /// A key's own path, and what it is made of.
    ///
    /// @param folder [#OBJECTS] or [#SLICES]
    /// @param bucket its name
    public record OwnPath(String folder, String bucket, String key) {
        @Override
        public String toString() {
            return folder + "/" + bucket + "/" + key;
        }
    }

    /// What such a path is made of; empty at any other path.
    public static Optional<OwnPath> ownPath(String path) {
        int first = path.indexOf('/');
        int second = path.indexOf('/', first + 1);
        if (first < 0 || second < 0) {
            return Optional.empty();
        }
        var folder = path.substring(0, first);
        return folder.equals(OBJECTS) || folder.equals(SLICES)
                ? Optional.of(new OwnPath(folder, path.substring(first + 1, second), path.substring(second + 1)))
                : Optional.empty();
    }

    static String objects(BucketRef bucket) {
        return OBJECTS + "/" + bucket.name();
    }

    static String slices(BucketRef bucket) {
        return SLICES + "/" + bucket.name();
    }

    /// A key's own path, whether it can be one or not.
    ///
    /// @param entry says whether the file has an object or a slice of one
    static String own(BucketRef bucket, String key, ObjectEntry entry) {
        return (entry.slice().isPresent() ? slices(bucket) : objects(bucket)) + "/" + key;
    }

    static String escapedFolder(long bucketId) {
        return ESCAPED + "/" + bucketId;
    }

    public static String escaped(long bucketId, String key) {
        return escapedFolder(bucketId) + "/" + escapedName(key);
    }

    static String escapedName(String key) {
        return HexFormat.of().formatHex(KeyHash.of(key));
    }

    /// The id of the bucket whose object lies at such a path; empty at any other.
    public static OptionalLong bucketOfEscaped(String path) {
        var matcher = IN_ESCAPED.matcher(path);
        return matcher.matches() ? OptionalLong.of(Long.parseLong(matcher.group(1))) : OptionalLong.empty();
    }

    /// An empty file that says what name a bucket has.
    static String naming(BucketRef bucket) {
        return BUCKETS + "/" + bucket.id() + "." + bucket.name();
    }

    /// The bucket that such a file names; empty when it is none.
    static Optional<BucketRef> named(String file) {
        var matcher = NAMING.matcher(file);
        return matcher.matches()
                ? Optional.of(new BucketRef(Long.parseLong(matcher.group(1)), matcher.group(2)))
                : Optional.empty();
    }

    /// Where the file of an entry lies.
    public static String path(BucketRef bucket, String key, ObjectEntry entry) {
        return entry.escaped() ? escaped(bucket.id(), key) : own(bucket, key, entry);
    }

    /// The key that a path is made of, or none: a path made from a hash, a work file.
    static String keyOf(String path) {
        return ownPath(path).map(OwnPath::key).orElse(RecordFormat.NO_KEY);
    }

    public static String aux(ObjectVersion version) {
        return AUX + "/" + version.id();
    }

    /// The index of the shard that has this version.
    static String shard(ObjectVersion version) {
        return SHARDS + "/" + version.id();
    }

    public static String work(ObjectVersion version) {
        return WORK + "/" + version.id();
    }

    /// The folder of a multipart upload.
    public static String upload(String id) {
        return UPLOADS + "/" + id;
    }

    /// Where the folder of an upload goes that nobody knows whose it is, and stays until somebody has looked.
    static String putAside(String upload) {
        return upload + PUT_ASIDE;
    }

    static boolean isPutAside(String upload) {
        return upload.endsWith(PUT_ASIDE);
    }

    /// Whether the record of a file in an upload's folder, or in what became of that in the trash, is a part's.
    static boolean isPart(String path) {
        var names = path.split("/", -1);
        return names.length == 4
                && (path.startsWith(UPLOADS + "/") || (path.startsWith(TRASH + "/") && names[2].indexOf('.') < 0))
                && Part.numberOf(names[3]).isPresent();
    }

    /// Whether a path is that of a work file, which is nobody's without an intent.
    static boolean isWork(String path) {
        return path.startsWith(WORK + "/");
    }

    static String parent(String path) {
        int slash = path.lastIndexOf('/');
        return slash < 0 ? "" : path.substring(0, slash);
    }
}
