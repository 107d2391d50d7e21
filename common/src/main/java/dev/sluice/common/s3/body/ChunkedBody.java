package dev.sluice.common.s3.body;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// aws-chunked: `size[;chunk-signature=…]` CRLF, the chunk's bytes, CRLF, and so on to a chunk of size 0, then maybe a
/// trailer, then an empty line. The bytes are slices of the buffers they came in; nothing is kept but the line being
/// read. A chunk's signature is checked before the slice that completes the chunk is handed out.
final class ChunkedBody implements ObjectBody {
    private static final int LONGEST_CHUNK_HEADER = 256;
    private static final int LONGEST_TRAILER_LINE = 1024;
    private static final int MOST_TRAILER_LINES = 16;
    private static final ByteBuffer END = ByteBuffer.allocate(0);
    private static final String TRAILER_SIGNATURE = "x-amz-trailer-signature";

    private final Lines lines;
    private final long decodedLength;
    private final ChunkSignatures signatures;
    private final Set<ChecksumAlgorithm> announced;
    private final Map<ChecksumAlgorithm, String> trailers = new EnumMap<>(ChecksumAlgorithm.class);
    private final Failures failures = new Failures();
    private long received;
    private long leftInChunk;
    private boolean ended;

    ChunkedBody(ByteSource raw, long decodedLength, ChunkSignatures signatures, Set<ChecksumAlgorithm> announced) {
        this.lines = new Lines(raw);
        this.decodedLength = decodedLength;
        this.signatures = signatures;
        this.announced = announced;
    }

    @Override
    public ByteBuffer next() throws IOException {
        return failures.remembering(this::advance);
    }

    private ByteBuffer advance() throws IOException {
        if (ended) {
            return END.duplicate();
        }
        if (leftInChunk == 0 && !beginChunk()) {
            finish();
            return END.duplicate();
        }
        var bytes = lines.take(leftInChunk);
        signatures.add(bytes);
        leftInChunk -= bytes.remaining();
        if (leftInChunk == 0) {
            signatures.end();
        }
        return bytes;
    }

    /// False for the chunk of size 0.
    private boolean beginChunk() throws IOException {
        if (received > 0) {
            lines.expectLineEnd();
        }
        var header = lines.read(LONGEST_CHUNK_HEADER);
        int semicolon = header.indexOf(';');
        long size = size(semicolon < 0 ? header : header.substring(0, semicolon));
        signatures.begin(semicolon < 0 ? "" : header.substring(semicolon));
        if (size == 0) {
            signatures.end();
            return false;
        }
        if (size > (decodedLength < 0 ? Long.MAX_VALUE : decodedLength) - received) {
            throw wrongLength("more");
        }
        received += size;
        leftInChunk = size;
        return true;
    }

    private static long size(String hex) {
        if (hex.isEmpty() || hex.length() > 15) {
            throw badSize(hex);
        }
        long size = 0;
        for (int i = 0; i < hex.length(); i++) {
            int digit = hex.charAt(i) < 0x80 ? Character.digit(hex.charAt(i), 16) : -1;
            if (digit < 0) {
                throw badSize(hex);
            }
            size = (size << 4) | digit;
        }
        return size;
    }

    private void finish() throws IOException {
        readTrailer();
        lines.expectEnd();
        if (decodedLength >= 0 && received != decodedLength) {
            throw wrongLength("fewer");
        }
        if (!trailers.keySet().equals(announced)) {
            throw malformedTrailer("its fields are not the ones that x-amz-trailer announced");
        }
        ended = true;
    }

    private void readTrailer() throws IOException {
        var canonical = new StringBuilder();
        boolean signed = !signatures.signsTrailer();
        boolean gap = false;
        for (int count = 0; count < MOST_TRAILER_LINES; count++) {
            var line = lines.read(LONGEST_TRAILER_LINE);
            if (line.isEmpty() && signed) {
                return;
            }
            if (line.isEmpty() && !gap && !trailers.isEmpty()) {
                gap = true; // Amazon's grammar ends the fields with LF CRLF before the signature
                continue;
            }
            int colon = line.indexOf(':');
            if (colon <= 0) {
                throw malformedTrailer(line.isEmpty() ? "its signature is missing" : "a line has no name");
            }
            var name = line.substring(0, colon).toLowerCase(Locale.ROOT);
            var value = line.substring(colon + 1).stripLeading();
            if (name.equals(TRAILER_SIGNATURE)) {
                signatures.checkTrailer(canonical.toString(), value);
                signed = true;
            } else if (signed && signatures.signsTrailer()) {
                throw malformedTrailer("a field follows its signature");
            } else {
                accept(name, value);
                canonical.append(name).append(':').append(value).append('\n');
            }
        }
        throw malformedTrailer("it has too many lines");
    }

    private void accept(String name, String value) {
        var algorithm = ChecksumAlgorithm.ofHeader(name)
                .filter(announced::contains)
                .orElseThrow(() -> malformedTrailer("its field " + name + " was not announced in x-amz-trailer"));
        if (trailers.put(algorithm, value) != null) {
            throw malformedTrailer("its field " + name + " occurs twice");
        }
    }

    static S3Failure malformedTrailer(String what) {
        return new S3Failure(S3Code.MALFORMED_TRAILER, "The trailer of the body is malformed: " + what + ".");
    }

    private static S3Failure badSize(String hex) {
        return new S3Failure(S3Code.INVALID_CHUNK_SIZE, "A chunk's size is not a hexadecimal number: " + hex);
    }

    private StoreException.IncompleteBody wrongLength(String which) {
        return new StoreException.IncompleteBody(
                "The chunks hold " + which + " bytes than the " + decodedLength + " of x-amz-decoded-content-length");
    }

    @Override
    public long decodedLength() {
        return decodedLength;
    }

    @Override
    public Map<ChecksumAlgorithm, String> trailers() {
        return Map.copyOf(trailers);
    }

    @Override
    public Optional<Kept> keep() {
        return lines.keep();
    }

    @Override
    public void close() {
        lines.close();
    }
}
