package dev.sluice.targetnode.coldfill;

import dev.sluice.backend.Backend;
import dev.sluice.backend.BackendChecks;
import dev.sluice.backend.BackendMismatch;
import dev.sluice.backend.BackendObject;
import dev.sluice.backend.BackendRead;
import dev.sluice.backend.BackendStream;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.checksum.CombinableCrc;
import dev.sluice.common.checksum.Hasher;
import dev.sluice.common.checksum.MultipartChecksum;
import dev.sluice.common.s3.ByteRange;
import dev.sluice.targetnode.storage.Upload;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/// Fetches a large object in segments over several connections, each asked for only in the version that the first
/// answer had. The stream of that first answer gives the first segment. The segments' checksums are combined into the
/// object's, so an object whose only checksum cannot be combined (an MD5, a SHA) is not fetched this way.
final class ParallelFetch {
    /// @param from the smallest object worth it
    /// @param segment bytes asked for at once, a multiple of the blocks that the drive's sums are made over
    /// @param lanes connections
    record Terms(long from, long segment, int lanes) {
        static final Terms USUAL = new Terms(128L << 20, 16L << 20, 4);

        /// Whether an object is worth it and can be verified this way.
        boolean suits(BackendObject object) {
            return object.size() >= from
                    && switch (BackendChecks.of(object)) {
                        case BackendChecks.Checksum(var algorithm, var _) ->
                            CombinableCrc.of(algorithm).isPresent();
                        case BackendChecks.Md5 _ -> false;
                        case BackendChecks.LengthOnly _ -> true;
                    };
        }
    }

    private final Terms terms;
    private final Backend backend;
    private final BackendObject object;
    private final Upload upload;
    private final FillProgress progress;
    private final Optional<ChecksumAlgorithm> algorithm;
    private final int segments;
    private final String[] checksums;
    private final long[] received;
    private final AtomicInteger next = new AtomicInteger();
    private int contiguous;

    private ParallelFetch(
            Terms terms,
            Backend backend,
            BackendObject object,
            Upload upload,
            FillProgress progress,
            Optional<ChecksumAlgorithm> algorithm) {
        this.terms = terms;
        this.backend = backend;
        this.object = object;
        this.upload = upload;
        this.progress = progress;
        this.algorithm = algorithm;
        this.segments = Math.toIntExact(Math.ceilDiv(object.size(), terms.segment));
        this.received = new long[segments];
        this.checksums = new String[segments];
        Arrays.fill(checksums, "");
    }

    /// @param first the whole object's stream, just opened; closed after its first segment
    /// @throws IOException when a connection breaks, or the bytes are not the ones the cloud's checksum names
    static void run(Terms terms, Backend backend, BackendStream first, Upload upload, FillProgress progress)
            throws IOException {
        var object = first.object();
        var algorithm = BackendChecks.of(object) instanceof BackendChecks.Checksum(var named, var _)
                ? Optional.of(named)
                : Optional.<ChecksumAlgorithm>empty();
        new ParallelFetch(terms, backend, object, upload, progress, algorithm).run(first);
    }

    private interface Lane {
        void run() throws IOException;
    }

    private void run(BackendStream first) throws IOException {
        next.set(1);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var running = new ArrayList<Future<?>>();
            running.add(start(threads, () -> {
                receive(first, 0);
                fetchSegments();
            }));
            for (int lane = 1; lane < terms.lanes; lane++) {
                running.add(start(threads, this::fetchSegments));
            }
            await(running);
        }
        verify();
    }

    private Future<?> start(ExecutorService threads, Lane lane) {
        return threads.submit(() -> {
            boolean whole = false;
            try {
                lane.run();
                whole = true;
            } finally {
                if (!whole) {
                    next.set(segments); // nothing more is fetched of an object that cannot become whole
                }
            }
            return null;
        });
    }

    private void await(List<Future<?>> running) throws IOException {
        try {
            for (var lane : running) {
                lane.get();
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException broken ? broken : new IOException(e.getCause());
        } catch (InterruptedException e) {
            next.set(segments);
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while fetching", e);
        }
    }

    private void fetchSegments() throws IOException {
        for (int segment = next.getAndIncrement(); segment < segments; segment = next.getAndIncrement()) {
            long from = segment * terms.segment;
            var range = new ByteRange.FromTo(from, from + length(segment) - 1);
            receive(backend.get(object.key(), BackendRead.of(range).ifVersion(object.version())), segment);
        }
    }

    private void receive(BackendStream stream, int segment) throws IOException {
        var hasher = algorithm.map(Hasher::of);
        long from = segment * terms.segment;
        long left = length(segment);
        try (stream) {
            if (stream.offset() != from || stream.length() < left) {
                throw new IOException("the cloud sends another range than was asked for, from " + stream.offset());
            }
            while (left > 0) {
                ByteBuffer bytes = stream.body().next();
                int count = (int) Math.min(left, bytes.remaining());
                if (count == 0) {
                    throw new IOException("the cloud's answer ended " + left + " bytes early");
                }
                var wanted = bytes.slice(bytes.position(), count);
                hasher.ifPresent(each -> each.add(wanted));
                upload.writeAt(from + length(segment) - left, wanted);
                left -= count;
                wrote(segment, count);
            }
        }
        checksums[segment] = hasher.map(Hasher::base64).orElse("");
    }

    /// Readers follow the unbroken beginning, inside a segment too.
    private synchronized void wrote(int segment, long bytes) {
        received[segment] += bytes;
        if (segment != contiguous) {
            return;
        }
        progress.wrote(bytes);
        while (contiguous < segments && received[contiguous] == length(contiguous)) {
            contiguous++;
            if (contiguous < segments) {
                progress.wrote(received[contiguous]);
            }
        }
    }

    /// After all lanes have ended.
    private void verify() throws IOException {
        if (BackendChecks.of(object) instanceof BackendChecks.Checksum(var named, var expected)) {
            var parts = new ArrayList<MultipartChecksum.Part>();
            for (int segment = 0; segment < segments; segment++) {
                parts.add(new MultipartChecksum.Part(checksums[segment], length(segment)));
            }
            var actual = MultipartChecksum.fullObject(named, parts);
            if (!actual.equals(expected)) {
                throw new BackendMismatch("the bytes' checksum is " + actual + ", the backend says " + expected);
            }
        }
    }

    private long length(int segment) {
        return Math.min(terms.segment, object.size() - segment * terms.segment);
    }
}
