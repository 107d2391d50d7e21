package dev.sluice.common.checksum;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;

/// The MD5 that S3 clients expect as ETag: by far the dearest checksum of a PUT, so never on an event loop. One thread
/// at a time.
public final class Md5 {
    private static final HexFormat HEX = HexFormat.of();

    private final Hasher hasher = Hasher.Digest.of("MD5");

    /// Takes in what remains in the buffer, whose position stays where it is.
    public void add(ByteBuffer bytes) {
        hasher.add(bytes);
    }

    /// The ETag, without quotes; ends the use of this object.
    public String hex() {
        return HEX.formatHex(hasher.value());
    }

    /// The ETag of a multipart object: the MD5 of its parts' MD5s, and their number.
    ///
    /// @param partEtags in hex, without quotes
    public static String multipartEtag(List<String> partEtags) {
        var whole = new Md5();
        for (var etag : partEtags) {
            whole.add(ByteBuffer.wrap(HEX.parseHex(etag)));
        }
        return whole.hex() + "-" + partEtags.size();
    }
}
