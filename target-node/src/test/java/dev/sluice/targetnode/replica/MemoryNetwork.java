package dev.sluice.targetnode.replica;

import dev.sluice.common.concurrent.Await;
import dev.sluice.common.http.ByteSink;
import dev.sluice.common.http.FileSource;
import dev.sluice.common.http.QueryParameters;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.peer.ReplicaService;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.core.Message;
import dev.sluice.targetnode.replica.loop.CopyTurns;
import dev.sluice.targetnode.replica.loop.Envelope;
import dev.sluice.targetnode.replica.peers.ReplicaPeers;
import dev.sluice.targetnode.replica.transfer.ContentSource;
import dev.sluice.targetnode.replica.transfer.EnvelopeCodec;
import dev.sluice.targetnode.storage.record.Slice;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/// What connects the targets of a test. Each direction between two of them is open, cut or silent.
final class MemoryNetwork {
    private static final int CALL_SECONDS = 2;

    /// So many bytes of a body come through a silent connection.
    private static final int LAST_BYTES = 1000;

    private record Way(NodeId from, NodeId to) {}

    private final Map<NodeId, ReplicaService> targets = new ConcurrentHashMap<>();
    private final Set<Way> cut = ConcurrentHashMap.newKeySet();
    private final Set<Way> refusing = ConcurrentHashMap.newKeySet();

    private final Map<Way, CountDownLatch> silent = new ConcurrentHashMap<>();
    private final Map<Way, CompletableFuture<Void>> stoppedBodies = new ConcurrentHashMap<>();
    private final AtomicInteger stopped = new AtomicInteger();
    private final Map<NodeId, CountDownLatch> starved = new ConcurrentHashMap<>();
    private final Listings listings = new Listings();
    private final Map<Way, Long> pinged = new ConcurrentHashMap<>();
    private final Map<Way, Long> longestSilences = new ConcurrentHashMap<>();
    private final AtomicInteger fetchedWrites = new AtomicInteger();
    private volatile long callNanos;
    private volatile boolean spoils;

    void join(NodeId target, ReplicaService service) {
        targets.put(target, service);
    }

    /// Nobody answers for it any more.
    void leave(NodeId target) {
        targets.remove(target);
    }

    /// Calls are refused at once, in both directions.
    void cut(NodeId one, NodeId other) {
        cut.add(new Way(one, other));
        cut.add(new Way(other, one));
    }

    /// Calls are refused at once, in one direction.
    void cutOneWay(NodeId from, NodeId to) {
        cut.add(new Way(from, to));
    }

    /// Calls get no answer, in both directions.
    void silence(NodeId one, NodeId other) {
        silent.putIfAbsent(new Way(one, other), new CountDownLatch(1));
        silent.putIfAbsent(new Way(other, one), new CountDownLatch(1));
    }

    /// Bodies stop in the middle, and never go on; all else is answered.
    void breakBodies(NodeId from, NodeId to) {
        stoppedBodies.put(new Way(to, from), new CompletableFuture<>());
    }

    /// Bodies stop in the middle.
    ///
    /// @return lets them go on
    Runnable holdBodies(NodeId from, NodeId to) {
        var way = new Way(to, from);
        var held = new CompletableFuture<Void>();
        stoppedBodies.put(way, held);
        return () -> {
            stoppedBodies.remove(way, held);
            held.complete(null);
        };
    }

    /// Slices come only to those who have asked all others.
    void refuseHasty(NodeId from, NodeId to) {
        refusing.add(new Way(to, from));
    }

    /// This target's batches of messages get no thread until it is healed; all else is answered.
    void starve(NodeId target) {
        starved.putIfAbsent(target, new CountDownLatch(1));
    }

    /// From now on each call takes so long.
    void slow(Duration call) {
        callNanos = call.toNanos();
    }

    /// What learners asked for and were not answered.
    Listings listings() {
        return listings;
    }

    private void pinged(Way way) {
        long now = System.nanoTime();
        var before = Optional.ofNullable(pinged.put(way, now));
        before.ifPresent(last -> longestSilences.merge(way, now - last, Math::max));
    }

    /// Forgets which pings were answered until now.
    void watchPings() {
        pinged.clear();
        longestSilences.clear();
    }

    /// The longest time between two pings that this target answered one other, since they are watched.
    Duration longestSilence(NodeId of) {
        return Duration.ofNanos(longestSilences.entrySet().stream()
                .filter(each -> each.getKey().to().equals(of))
                .mapToLong(Map.Entry::getValue)
                .max()
                .orElseThrow());
    }

    /// From now on bytes that still come to a primary are others when they are passed on.
    void spoilArriving() {
        spoils = true;
    }

    /// How often the bytes of a prepared write were asked for.
    int fetchedWrites() {
        return fetchedWrites.get();
    }

    /// How many bodies have stopped so far.
    int stoppedBodies() {
        return stopped.get();
    }

    void heal() {
        refusing.clear();
        stoppedBodies.clear();
        cut.clear();
        silent.values().forEach(CountDownLatch::countDown);
        silent.clear();
        starved.values().forEach(CountDownLatch::countDown);
        starved.clear();
    }

    /// The others, as one target reaches them.
    ReplicaPeers seenBy(NodeId self) {
        return new ReplicaPeers() {
            @Override
            public void deliver(PeerAddress to, byte[] batch) {
                try {
                    var service = reached(self, to);
                    LockSupport.parkNanos(callNanos);
                    listings.see(batch);
                    var begun = service.arrived();
                    Optional.ofNullable(starved.get(to.id())).ifPresent(MemoryNetwork::await);
                    begun.run();
                    service.messages(self, batch);
                } catch (IOException malformed) {
                    throw new IllegalStateException(malformed);
                }
            }

            @Override
            public void ping(PeerAddress to) {
                if (!reached(self, to).ping(self)) {
                    throw new StoreException.Unavailable(to.id() + " is starved");
                }
                pinged(new Way(self, to.id()));
            }

            @Override
            public SortedMap<String, Integer> writable(PeerAddress to) {
                return reached(self, to).writable();
            }

            @Override
            public Content content(PeerAddress from, String query, Duration firstByte) throws IOException {
                if (query.startsWith("version=")) {
                    fetchedWrites.incrementAndGet();
                }
                if (query.startsWith("slice=")
                        && !query.contains("careful")
                        && refusing.contains(new Way(self, from.id()))) {
                    throw new IOException("the other target refuses: it is busy");
                }
                Response answer;
                try {
                    answer = reached(self, from).content(QueryParameters.of(query));
                } catch (StoreException refused) {
                    throw new IOException("the other target refuses: " + refused.getMessage(), refused);
                }
                if (query.startsWith("arriving=") && answer.body() instanceof ResponseBody.Streamed streamed) {
                    return new Content(0, Slice.NONE, new Following(new Way(self, from.id()), streamed));
                }
                var length = answer.headers().first(ContentSource.RECORD_HEADER);
                var position = answer.headers().first(ContentSource.POSITION_HEADER);
                return new Content(
                        length.map(Long::parseLong).orElse(0L),
                        position.map(Integer::parseInt).orElse(Slice.NONE),
                        new Body(new Way(self, from.id()), collected(answer.body())));
            }
        };
    }

    /// Pages of listings that are on their way. A question that was not answered for so long that its slot has lost its
    /// turn counts no more: its source has dropped it, for one of the two knew a newer row.
    static final class Listings {
        private record Asked(String source, String learner, int group, int slot) {}

        private final Map<Asked, Long> unanswered = new HashMap<>();
        private Consumer<String> asking = _ -> {};
        private long most;

        /// @param source is told the drive that is asked for a page
        synchronized void tell(Consumer<String> source) {
            asking = source;
        }

        /// How many one source was asked for at once at most.
        synchronized long most() {
            return most;
        }

        private synchronized void see(byte[] batch) throws IOException {
            var in = ByteBuffer.wrap(batch);
            while (in.hasRemaining()) {
                var message = new byte[in.getInt()];
                in.get(message);
                see(EnvelopeCodec.decode(message));
            }
        }

        private void see(Envelope envelope) {
            if (envelope.message() instanceof Message.AskListing) {
                asking.accept(envelope.to());
                long now = System.nanoTime();
                unanswered.values().removeIf(at -> now - at > CopyTurns.IDLE.toNanos());
                unanswered.putIfAbsent(asked(envelope.to(), envelope.from(), envelope), now);
                most = Math.max(most, of(envelope.to()));
            } else if (envelope.message() instanceof Message.Listing) {
                unanswered.remove(asked(envelope.from(), envelope.to(), envelope));
            }
        }

        private long of(String source) {
            return unanswered.keySet().stream()
                    .filter(asked -> asked.source.equals(source))
                    .count();
        }

        private static Asked asked(String source, String learner, Envelope envelope) {
            return new Asked(source, learner, envelope.group(), envelope.slot());
        }
    }

    private ReplicaService reached(NodeId self, PeerAddress other) {
        var way = new Way(self, other.id());
        var service = targets.get(other.id());
        if (cut.contains(way) || service == null) {
            throw new StoreException.Unavailable(other.id() + " does not answer: connection refused");
        }
        var silence = silent.get(way);
        if (silence != null) {
            await(silence);
        }
        return service;
    }

    private static void await(CountDownLatch silence) {
        try {
            if (!silence.await(CALL_SECONDS, TimeUnit.SECONDS)) {
                throw new StoreException.Unavailable("no answer in " + CALL_SECONDS + " s");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new StoreException.Unavailable("interrupted");
        }
    }

    /// What came of an answer before it ended or broke off.
    private static Collected collected(ResponseBody body) throws IOException {
        var came = new Collected();
        switch (body) {
            case ResponseBody.Bytes(var bytes) -> came.write(bytes.duplicate());
            case ResponseBody.Streamed streamed -> streamed.writer().writeTo(came);
            case ResponseBody.FileRange(var file, long offset, long length) -> {
                try (file) {
                    came.take(file, offset, offset + length);
                }
            }
            case ResponseBody.LengthOnly _ -> throw new IllegalStateException("a replica answers with bytes");
        }
        return came;
    }

    private static final class Collected implements ByteSink {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private boolean brokeOff;

        void take(FileSource file, long from, long to) {
            for (long at = from; at < to; at = (at / FileSource.WINDOW + 1) * FileSource.WINDOW) {
                var window = ByteBuffer.allocateDirect((int)
                        (Math.min(to, (at / FileSource.WINDOW + 1) * FileSource.WINDOW) - at));
                try {
                    Await.whole(file.fetch(at, window).toCompletableFuture());
                } catch (StoreException bad) {
                    brokeOff = true;
                    return;
                }
                write(window.flip());
            }
        }

        @Override
        public void write(ByteBuffer piece) {
            var copy = new byte[piece.remaining()];
            piece.get(copy);
            bytes.writeBytes(copy);
        }
    }

    /// A body that is read while it is written.
    private final class Following extends InputStream {
        private final Way way;
        private final PipedInputStream pipe = new PipedInputStream(1 << 16);
        private final CompletableFuture<Void> closed = new CompletableFuture<>();
        private int count;

        Following(Way way, ResponseBody.Streamed body) throws IOException {
            this.way = way;
            var out = new PipedOutputStream(pipe);
            Thread.ofPlatform().daemon().name("body").start(() -> {
                try (out) {
                    body.writer().writeTo(piece -> {
                        var copy = new byte[piece.remaining()];
                        piece.get(copy);
                        out.write(copy);
                    });
                } catch (IOException | StoreException _) {
                    // the reader sees an end that is too early
                }
            });
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            var stop = stoppedBodies.get(way);
            if (stop != null && count >= LAST_BYTES) {
                stopped.incrementAndGet();
                CompletableFuture.anyOf(stop, closed).join();
            }
            if (closed.isDone() || cut.contains(way)) {
                throw new IOException("connection reset");
            }
            int read = pipe.read(into, offset, stop == null ? length : Math.min(length, LAST_BYTES));
            if (count == 0 && read > 0 && spoils) {
                into[offset] ^= 1;
            }
            count += Math.max(0, read);
            return read;
        }

        @Override
        public void close() throws IOException {
            closed.complete(null);
            pipe.close();
        }
    }

    /// Stops in its middle where the way says so, until that ends or it is closed.
    private final class Body extends InputStream {
        private final Way way;
        private final ByteBuffer bytes;
        private final boolean breaksOff;
        private final CompletableFuture<Void> closed = new CompletableFuture<>();

        Body(Way way, Collected came) {
            this.way = way;
            this.bytes = ByteBuffer.wrap(came.bytes.toByteArray());
            this.breaksOff = came.brokeOff;
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int middle = Math.min(LAST_BYTES, bytes.limit() / 2);
            var stop = stoppedBodies.get(way);
            if (stop != null && bytes.position() >= middle) {
                stopped.incrementAndGet();
                CompletableFuture.anyOf(stop, closed).join();
            }
            if (closed.isDone() || cut.contains(way)) {
                throw new IOException("connection reset");
            }
            if (!bytes.hasRemaining()) {
                if (breaksOff) {
                    throw new IOException("connection reset");
                }
                return -1;
            }
            int most = stop != null && bytes.position() < middle ? middle - bytes.position() : bytes.remaining();
            int count = Math.min(length, most);
            bytes.get(into, offset, count);
            return count;
        }

        @Override
        public void close() {
            closed.complete(null);
        }
    }
}
