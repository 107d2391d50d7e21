package dev.sluice.common.checksum;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// The MD5 that S3 clients expect as ETag: by far the dearest checksum of a PUT, so never on an event loop. One thread
/// at a time.
public final class Md5 implements AutoCloseable {
    private static final HexFormat HEX = HexFormat.of();

    private final Optional<OpenStreams.Stream> stream;
    private final Optional<LaneMd5> lane;
    private final Optional<Hasher> alone;

    /// Computed on the caller's thread.
    public Md5() {
        this(Optional.empty(), Optional.empty());
    }

    private Md5(Optional<OpenStreams.Stream> stream, Optional<LaneMd5> lane) {
        this.stream = stream;
        this.lane = lane;
        this.alone = lane.isPresent() ? Optional.empty() : Optional.of(Hasher.Digest.of("MD5"));
    }

    /// Of a stream that others may run beside: with enough of them they are computed together, on threads of their own,
    /// at a fraction of the cost. To be closed.
    public static Md5 amongOthers() {
        var shared = SharedMd5.ofProcess();
        return new Md5(Optional.of(shared.open()), shared.lane());
    }

    /// Takes in what remains in the buffer, whose position stays where it is.
    public void add(ByteBuffer bytes) {
        adding(bytes).join();
    }

    /// The same without waiting, if others compute it. The bytes must stay as they are until it completes, and nothing
    /// else may be asked of this object before.
    public CompletableFuture<Void> adding(ByteBuffer bytes) {
        stream.ifPresent(OpenStreams.Stream::moved);
        if (lane.isPresent()) {
            return lane.get().add(bytes);
        }
        alone.orElseThrow().add(bytes);
        return CompletableFuture.completedFuture(null);
    }

    /// The ETag, without quotes; nothing can be added then.
    public String hex() {
        return HEX.formatHex(
                lane.map(LaneMd5::value).orElseGet(() -> alone.orElseThrow().value()));
    }

    /// Others no longer wait for this stream's bytes.
    @Override
    public void close() {
        stream.ifPresent(OpenStreams.Stream::close);
    }
}
