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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/// Fetches a large object in segments over several connections, each asked for only in the version that the first
/// answer
/// had. The stream of that first answer gives the first segment. The segments' checksums are combined into the
/// object's,
/// so an object whose only checksum cannot be combined (an MD5, a SHA) is not fetched this way.
final class ParallelFetch {
    static final long FROM = 128L << 20;

    private static final long SEGMENT = 16L << 20;
    private static final int LANES = 4;

    private final Backend backend;
    private final BackendObject object;
    private final Upload upload;
    private final FillProgress progress;
    private final Optional<ChecksumAlgorithm> algorithm;
    private final List<MultipartChecksum.Part> checksums = new ArrayList<>();
    private final List<Boolean> done = new ArrayList<>();
    private final AtomicInteger next = new AtomicInteger();
    private int contiguous;

    private ParallelFetch(
            Backend backend,
            BackendObject object,
            Upload upload,
            FillProgress progress,
            Optional<ChecksumAlgorithm> algorithm) {
        this.backend = backend;
        this.object = object;
        this.upload = upload;
        this.progress = progress;
        this.algorithm = algorithm;
        for (long at = 0; at < object.size(); at += SEGMENT) {
            done.add(false);
            checksums.add(new MultipartChecksum.Part("", 0));
        }
    }

    /// Whether an object is worth it and can be verified this way.
    static boolean suits(BackendObject object) {
        return object.size() >= FROM
                && switch (BackendChecks.of(object)) {
                    case BackendChecks.Checksum(var algorithm, var _) ->
                        CombinableCrc.of(algorithm).isPresent();
                    case BackendChecks.Md5 _ -> false;
                    case BackendChecks.LengthOnly _ -> true;
                };
    }

    /// @param first the whole object's stream, just opened; closed after its first segment
    /// @throws IOException when a connection breaks, or the bytes are not the ones the cloud's checksum names
    static void run(Backend backend, BackendStream first, Upload upload, FillProgress progress) throws IOException {
        var object = first.object();
        var algorithm = BackendChecks.of(object) instanceof BackendChecks.Checksum(var named, var _)
                ? Optional.of(named)
                : Optional.<ChecksumAlgorithm>empty();
        new ParallelFetch(backend, object, upload, progress, algorithm).run(first);
    }

    private void run(BackendStream first) throws IOException {
        next.set(1);
        try (ExecutorService lanes = Executors.newVirtualThreadPerTaskExecutor()) {
            var running = new ArrayList<Future<?>>();
            running.add(lanes.submit(() -> {
                receive(first, 0);
                fetchSegments();
                return null;
            }));
            for (int lane = 1; lane < LANES; lane++) {
                running.add(lanes.submit(() -> {
                    fetchSegments();
                    return null;
                }));
            }
            await(running);
        }
        verify();
    }

    private void await(List<Future<?>> running) throws IOException {
        try {
            for (var lane : running) {
                lane.get();
            }
        } catch (ExecutionException e) {
            next.set(done.size()); // the other lanes take nothing more
            throw e.getCause() instanceof IOException broken ? broken : new IOException(e.getCause());
        } catch (InterruptedException e) {
            next.set(done.size());
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while fetching", e);
        }
    }

    private void fetchSegments() throws IOException {
        for (int segment = next.getAndIncrement(); segment < done.size(); segment = next.getAndIncrement()) {
            long from = segment * SEGMENT;
            var range = new ByteRange.FromTo(from, from + length(segment) - 1);
            receive(backend.get(object.key(), BackendRead.of(range).ifVersion(object.version())), segment);
        }
    }

    private void receive(BackendStream stream, int segment) throws IOException {
        var hasher = algorithm.map(Hasher::of);
        long from = segment * SEGMENT;
        long left = length(segment);
        try (stream) {
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
            }
        }
        finished(segment, hasher.map(Hasher::base64).orElse(""));
    }

    /// Readers follow the unbroken beginning.
    private synchronized void finished(int segment, String checksum) {
        checksums.set(segment, new MultipartChecksum.Part(checksum, length(segment)));
        done.set(segment, true);
        while (contiguous < done.size() && done.get(contiguous)) {
            progress.wrote(length(contiguous));
            contiguous++;
        }
    }

    private synchronized void verify() throws IOException {
        if (BackendChecks.of(object) instanceof BackendChecks.Checksum(var named, var expected)) {
            var actual = MultipartChecksum.fullObject(named, checksums);
            if (!actual.equals(expected)) {
                throw new BackendMismatch("the bytes' checksum is " + actual + ", the backend says " + expected);
            }
        }
    }

    private long length(int segment) {
        return Math.min(SEGMENT, object.size() - segment * SEGMENT);
    }
}
