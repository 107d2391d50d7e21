package dev.sluice.cli.demo.dataset;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/// One record of the data set under its key: the picture, its label, and a description with the digest of both.
public record Sample(String key, Bytes jpeg, Bytes label, Bytes description) {
    private static final long GOLDEN_RATIO = 0x9e3779b97f4a7c15L;

    /// The record with this number in the data set of this seed.
    static Sample render(long seed, int number) throws IOException {
        long own = seed + number * GOLDEN_RATIO;
        Motif motif = Motif.ALL.get(Math.floorMod(Long.hashCode(own * GOLDEN_RATIO), Motif.ALL.size()));
        Picture picture = Picture.of(motif, own);
        String key = "%06d".formatted(number);
        Bytes label = new Bytes(Integer.toString(motif.label()).getBytes(StandardCharsets.US_ASCII));
        String description =
                "{\"key\":\"%s\",\"label\":%d,\"class\":\"%s\",\"width\":%d,\"height\":%d,\"sha256\":\"%s\"}"
                        .formatted(
                                key,
                                motif.label(),
                                motif.title(),
                                picture.width(),
                                picture.height(),
                                sha256(List.of(picture.jpeg(), label)));
        return new Sample(key, picture.jpeg(), label, new Bytes(description.getBytes(StandardCharsets.UTF_8)));
    }

    void writeTo(TarWriter tar) throws IOException {
        tar.add(key + ".jpg", jpeg);
        tar.add(key + ".cls", label);
        tar.add(key + ".json", description);
    }

    /// The digest over every byte of the record, in the order of the archive.
    String digest() {
        return sha256(List.of(jpeg, label, description));
    }

    public static String sha256(List<Bytes> parts) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            parts.forEach(part -> part.addTo(digest));
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
