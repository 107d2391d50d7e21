package dev.sluice.common.s3;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// Every header of a request that S3 or its SDKs know and that says more than HTTP does: taken, of no effect here, or
/// refused with 501. One that says what a body means, how it is to be stored or who may see it is never ignored.
/// docs/s3-compatibility.md is made of it.
///
/// @param name in lower case; with `*` at its end, all names that begin so
/// @param refusedIn the requests in which another value than the accepted ones is refused
/// @param accepted values that ask for what is so anyway
/// @param use what it does, or why it does nothing
public record S3Header(String name, Set<In> refusedIn, Set<String> accepted, String use) {
    /// The kinds of requests.
    public enum In {
        /// GetObject, HeadObject.
        READ,
        /// PutObject, UploadPart: the body is the object's bytes.
        BODY,
        DELETION,
        /// The other requests that make an object: copies, and the begin and end of an upload.
        WRITE,
        OTHER;

        public static In of(S3Action action) {
            return switch (action) {
                case GET_OBJECT, HEAD_OBJECT -> READ;
                case PUT_OBJECT, UPLOAD_PART -> BODY;
                case DELETE_OBJECT -> DELETION;
                case COPY_OBJECT, UPLOAD_PART_COPY, CREATE_MULTIPART_UPLOAD, COMPLETE_MULTIPART_UPLOAD -> WRITE;
                default -> OTHER;
            };
        }
    }

    private static final Set<In> NEVER = Set.of();
    private static final Set<In> ALWAYS = EnumSet.allOf(In.class);
    private static final Set<In> WRITES = EnumSet.of(In.BODY, In.WRITE, In.DELETION);

    public static final String RDMA_TOKEN = "x-amz-rdma-token";
    public static final String ENCRYPTION_KEYS = Encryption.HEADER + "-*";
    public static final String ENCRYPTION_KEYS_OF_SOURCE = "x-amz-copy-source-server-side-encryption*";

    public static final List<S3Header> ALL = List.of(
            // what the bytes are, and how they come
            taken("content-encoding", "kept; `aws-chunked` is the framing of the body and is removed"),
            taken("content-md5", "compared"),
            new S3Header("content-range", EnumSet.of(In.BODY), Set.of(), "a part of an object cannot be written"),
            taken("x-amz-content-sha256", "compared; says how the body is framed and signed"),
            taken("x-amz-decoded-content-length", "compared; the length without framing"),
            taken("x-amz-trailer", "the checksum that follows the body"),
            taken("x-amz-checksum-*", "compared, kept and returned"),
            taken("x-amz-sdk-checksum-algorithm", "compared with the checksum that is sent"),
            taken("x-amz-mp-object-size", "compared"),
            new S3Header(RDMA_TOKEN, WRITES, Set.of(), "bodies come by HTTP; a read is answered by HTTP"),
            refused("x-amz-write-offset-bytes", "a part of an object cannot be written"),
            new S3Header(
                    Encryption.HEADER,
                    EnumSet.of(In.READ, In.DELETION, In.OTHER),
                    Set.of(),
                    "a new object's: `AES256` with `storage.encrypted`, or for a cached bucket's S3 cloud; else 501;"
                            + " 501 for parts and Complete"),
            refused(ENCRYPTION_KEYS, "no keys of KMS or of customers are used"),
            refused(ENCRYPTION_KEYS_OF_SOURCE, "no keys of KMS or of customers are used"),
            // what is kept beside them
            taken("cache-control", "kept and returned"),
            taken("content-disposition", "kept and returned"),
            taken("content-language", "kept and returned"),
            taken("content-type", "kept and returned"),
            taken("expires", "kept and returned"),
            taken("x-amz-meta-*", "kept and returned"),
            only("x-amz-storage-class", "STANDARD", "there is one"),
            taken("x-amz-tagging", "kept, and returned by GetObjectTagging; 501 where the cloud is Google's"),
            taken("x-amz-tagging-directive", "COPY or REPLACE"),
            only("x-amz-object-annotation-directive", "COPY", "no object has annotations"),
            refused("x-amz-website-redirect-location", "no bucket is a website"),
            refused("x-amz-object-lock-*", "nothing is retained"),
            // conditions
            taken("if-match", "compared"),
            new S3Header("if-none-match", EnumSet.of(In.DELETION), Set.of(), "compared; of a write only `*`"),
            taken("if-range", "compared"),
            new S3Header("if-modified-since", WRITES, Set.of(), "compared"),
            new S3Header("if-unmodified-since", WRITES, Set.of(), "compared"),
            new S3Header("x-amz-if-match-size", butDeletions(), Set.of(), "compared"),
            new S3Header("x-amz-if-match-last-modified-time", butDeletions(), Set.of(), "compared"),
            refused("x-amz-if-match-initiated-time", "uploads have no such condition"),
            // copies
            taken("x-amz-copy-source", "the object to copy"),
            new S3Header("x-amz-copy-source-if-*", EnumSet.of(In.BODY), Set.of(), "compared"),
            new S3Header("x-amz-copy-source-range", EnumSet.of(In.BODY), Set.of(), "the bytes to copy"),
            taken("x-amz-metadata-directive", "COPY or REPLACE"),
            refused("x-amz-rename-source*", "objects cannot be renamed"),
            // reads
            taken("range", "the bytes to read; several ranges are ignored"),
            taken("x-amz-object-attributes", "what GetObjectAttributes is asked for"),
            taken("x-amz-max-parts", "the most parts that GetObjectAttributes lists"),
            taken("x-amz-part-number-marker", "GetObjectAttributes lists the parts behind it"),
            taken("x-amz-checksum-mode", "ENABLED returns the checksums"),
            // who may do what
            taken("x-amz-acl", "what says that all belongs to the bucket's owner; another is 400"),
            refused("x-amz-grant-*", "ACLs grant nothing"),
            only("x-amz-object-ownership", "BucketOwnerEnforced", "all belongs to the bucket's owner"),
            without("x-amz-expected-bucket-owner", "one owner has all buckets"),
            without("x-amz-source-expected-bucket-owner", "one owner has all buckets"),
            without("x-amz-request-payer", "nobody pays"),
            without("x-amz-mfa", "nothing asks for it"),
            without("x-amz-bypass-governance-retention", "nothing is retained"),
            without("x-amz-confirm-remove-self-bucket-access", "a policy cannot lock its owner out"),
            // buckets and lists
            only("x-amz-bucket-object-lock-enabled", "false", "nothing is retained"),
            only("x-amz-bucket-namespace", "global", "there is one"),
            without("x-amz-optional-object-attributes", "no object is archived"));

    /// Those that may be refused, by the letter that tells them apart.
    private static final S3Header[][] REFUSABLE = byLetter();

    private static Set<In> butDeletions() {
        return EnumSet.complementOf(EnumSet.of(In.DELETION));
    }

    private static S3Header taken(String name, String use) {
        return new S3Header(name, NEVER, Set.of(), use);
    }

    private static S3Header without(String name, String why) {
        return new S3Header(name, NEVER, Set.of(), "no effect: " + why);
    }

    private static S3Header only(String name, String value, String why) {
        return new S3Header(name, ALWAYS, Set.of(value), why);
    }

    private static S3Header refused(String name, String why) {
        return new S3Header(name, ALWAYS, Set.of(), why);
    }

    private static S3Header[][] byLetter() {
        var lists = new ArrayList<List<S3Header>>();
        for (int i = 0; i < 128; i++) {
            lists.add(new ArrayList<>());
        }
        for (var header : ALL) {
            if (!header.refusedIn.isEmpty()) {
                lists.get(letter(header.name)).add(header);
            }
        }
        return lists.stream().map(list -> list.toArray(S3Header[]::new)).toArray(S3Header[][]::new);
    }

    /// The first that is not the same in all names of Amazon's.
    private static int letter(String name) {
        int at = name.regionMatches(true, 0, "x-amz-", 0, 6) ? 6 : 0;
        return name.length() > at ? (name.charAt(at) | 0x20) & 0x7F : 0;
    }

    /// Those that a header of this name may be and that may be refused. Called for every header of every request.
    public static S3Header[] refusableLike(String name) {
        return REFUSABLE[letter(name)];
    }

    public boolean is(String header) {
        int length = name.length() - 1;
        return name.charAt(length) == '*'
                ? header.regionMatches(true, 0, name, 0, length)
                : header.equalsIgnoreCase(name);
    }

    public boolean refuses(In in, String value) {
        return refusedIn.contains(in) && !accepted.contains(value);
    }
}
