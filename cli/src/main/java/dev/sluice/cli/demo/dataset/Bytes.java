package dev.sluice.cli.demo.dataset;

import java.io.IOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.util.Arrays;

/// The content of one file, compared by content. Whoever makes it gives the array away.
public final class Bytes {
    private final byte[] content;

    public Bytes(byte[] content) {
        this.content = content;
    }

    public int length() {
        return content.length;
    }

    public byte[] copy() {
        return content.clone();
    }

    void writeTo(OutputStream out) throws IOException {
        out.write(content);
    }

    void addTo(MessageDigest digest) {
        digest.update(content);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes bytes && Arrays.equals(content, bytes.content);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(content);
    }

    @Override
    public String toString() {
        return content.length + " bytes";
    }
}
