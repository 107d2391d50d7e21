package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.PromiseBroken;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/// Clients of a replicated bucket that go on until they are stopped, and repeat what is answered with 503 or not at
/// all. Each answer is compared with what was acknowledged. Any other refusal, and a 404 for what is there, is wrong.
final class ReplicatedLoad implements AutoCloseable {
    private static final int GROUPS = 8;
    private static final int PAGE = 20;
    private static final int UNAVAILABLE = 503;
    private static final int SMALL = 20_000;
    private static final int LARGE = 3 << 20;
    private static final int SMALLEST = 100;
    private static final Duration BACK_OFF = Duration.ofMillis(20);
    private static final Duration PACE = Duration.ofMillis(4);

    private final S3Client s3;
    private final String bucket;
    private final List<KeyHistory> keys;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Future<?>> clients = new ArrayList<>();
    private final List<Semaphore> steps = new CopyOnWriteArrayList<>();
    private final AtomicInteger contents = new AtomicInteger();
    private final Waits reads = new Waits();
    private final Waits writes = new Waits();
    /// What each client waits for now.
    private final Map<Thread, Refusals> waiting = new ConcurrentHashMap<>();
    private volatile boolean stopped;
    private volatile boolean failed;

    ReplicatedLoad(S3Client s3, String bucket, int keys) {
        this.s3 = s3;
        this.bucket = bucket;
        this.keys = IntStream.range(0, keys)
                .mapToObj(i -> new KeyHistory("g%d/%04d".formatted(i % GROUPS, i)))
                .toList();
    }

    Waits reads() {
        return reads;
    }

    Waits writes() {
        return writes;
    }

    /// Returns when each client has done so many steps more; fails when one has found something wrong, or hangs.
    void awaitSteps(int more) throws Exception {
        steps.forEach(Semaphore::drainPermits);
        for (var done : steps) {
            assertThat(done.tryAcquire(more, 1, TimeUnit.MINUTES))
                    .as(
                            "a client did %d steps in a minute; longest waits: %s, %s; they wait for %s",
                            more, reads.longest(), writes.longest(), waiting.values())
                    .isTrue();
        }
        if (failed) {
            stop();
        }
    }

    /// Each writer has keys of its own.
    ReplicatedLoad start(int writers, int readers, long seed) {
        for (int i = 0; i < writers; i++) {
            int writer = i;
            var random = new Random(seed * 31 + i);
            client(() -> write(own(writer, writers, random), random));
        }
        for (int i = 0; i < readers; i++) {
            var random = new Random(seed * 37 + i);
            client(() -> read(random));
        }
        return this;
    }

    private KeyHistory own(int writer, int writers, Random random) {
        return keys.get(random.nextInt(keys.size() / writers) * writers + writer);
    }

    private void client(Runnable step) {
        var done = new Semaphore(0);
        steps.add(done);
        clients.add(threads.submit(() -> {
            try {
                while (!stopped) {
                    step.run();
                    done.release();
                    LockSupport.parkNanos(PACE.toNanos());
                }
            } catch (AssertionError | RuntimeException wrong) {
                failed = true;
                steps.forEach(each -> each.release(1 << 20));
                throw wrong;
            }
        }));
    }

    // ---- what clients do

    private void write(KeyHistory key, Random random) {
        boolean gives = random.nextInt(4) == 0;
        if (random.nextInt(5) == 0) {
            change(
                    key,
                    Optional.empty(),
                    gives,
                    () -> s3.deleteObject(request -> request.bucket(bucket).key(key.key())));
        } else {
            var bytes = Content.of(key.key() + contents.incrementAndGet(), length(random));
            change(
                    key,
                    Optional.of(KeyHistory.Body.of(bytes)),
                    gives,
                    () -> s3.putObject(request -> request.bucket(bucket).key(key.key()), RequestBody.fromBytes(bytes)));
        }
    }

    private static int length(Random random) {
        return SMALLEST + random.nextInt(random.nextInt(20) == 0 ? LARGE - SMALLEST : SMALL);
    }

    /// @param once not repeated: it may have happened or not
    private void change(KeyHistory key, Optional<KeyHistory.Body> to, boolean once, Runnable request) {
        int change = key.begin(to);
        var done = answered("a change of " + key.key(), writes, once, () -> {
            request.run();
            return true;
        });
        if (done.isPresent()) {
            key.acknowledged(change);
        }
    }

    private void read(Random random) {
        int kind = random.nextInt(20);
        if (kind == 0) {
            list(random.nextInt(GROUPS));
        } else {
            read(keys.get(random.nextInt(keys.size())), kind < 4);
        }
    }

    private void read(KeyHistory key, boolean headOnly) {
        var what = headOnly ? "HEAD" : "GET";
        int from = key.reading();
        var found =
                answered(what + " of " + key.key(), reads, false, () -> headOnly ? head(key.key()) : get(key.key()));
        found.ifPresent(body -> key.found(what, from, body));
    }

    private Optional<KeyHistory.Body> get(String key) {
        try {
            var answer = s3.getObjectAsBytes(request -> request.bucket(bucket).key(key));
            var body = KeyHistory.Body.of(answer.asByteArrayUnsafe());
            PromiseBroken.check(() -> assertThat(unquoted(answer.response().eTag()))
                    .as("ETag of '%s', GET", key)
                    .isEqualTo(body.md5()));
            return Optional.of(body);
        } catch (NoSuchKeyException missing) {
            return Optional.empty();
        }
    }

    private Optional<KeyHistory.Body> head(String key) {
        try {
            var answer = s3.headObject(request -> request.bucket(bucket).key(key));
            return Optional.of(new KeyHistory.Body(Math.toIntExact(answer.contentLength()), unquoted(answer.eTag())));
        } catch (NoSuchKeyException missing) {
            return Optional.empty();
        }
    }

    private void list(int group) {
        var prefix = "g%d/".formatted(group);
        var from = new HashMap<KeyHistory, Integer>();
        keys.stream().filter(key -> key.key().startsWith(prefix)).forEach(key -> from.put(key, key.reading()));
        var found = answered("LIST of " + prefix, reads, false, () -> listed(prefix));
        found.ifPresent(listed -> {
            from.forEach((key, since) -> key.found("LIST", since, Optional.ofNullable(listed.remove(key.key()))));
            PromiseBroken.check(
                    () -> assertThat(listed).as("listed, and never written").isEmpty());
        });
    }

    private Map<String, KeyHistory.Body> listed(String prefix) {
        var listed = new HashMap<String, KeyHistory.Body>();
        s3.listObjectsV2Paginator(
                        request -> request.bucket(bucket).prefix(prefix).maxKeys(PAGE))
                .contents()
                .forEach(object -> listed.put(object.key(), body(object)));
        return listed;
    }

    private static KeyHistory.Body body(S3Object object) {
        return new KeyHistory.Body(Math.toIntExact(object.size()), unquoted(object.eTag()));
    }

    private static String unquoted(String etag) {
        return etag.replace("\"", "");
    }

    /// Repeats what is answered with 503 or not at all.
    ///
    /// @param once to give up instead
    /// @return empty when it was given up, or the load is at its end
    private <T> Optional<T> answered(String what, Waits waits, boolean once, Supplier<T> request) {
        var refusals = new Refusals(what);
        waiting.put(Thread.currentThread(), refusals);
        try {
            while (!failed) {
                try {
                    var answer = request.get();
                    waits.ended(refusals.began(), refusals.toString());
                    return Optional.of(answer);
                } catch (S3Exception refused) {
                    assertThat(refused.statusCode())
                            .as("status of %s: %s", what, refused.getMessage())
                            .isEqualTo(UNAVAILABLE);
                    refusals.add(refused);
                } catch (SdkClientException lost) {
                    PromiseBroken.check(() -> assertThat(lost.getMessage())
                            .as("%s: only connections may break", what)
                            .doesNotContain("checksum"));
                    refusals.add(lost);
                }
                if (once) {
                    return Optional.empty();
                }
                LockSupport.parkNanos(BACK_OFF.toNanos());
            }
            return Optional.empty();
        } finally {
            waiting.remove(Thread.currentThread());
        }
    }

    // ---- the end

    /// Returns when each has ended what it was at.
    void stop() throws Exception {
        stopped = true;
        for (var client : clients) {
            try {
                client.get();
            } catch (ExecutionException wrong) {
                throw new AssertionError("a client: " + wrong.getCause(), wrong.getCause());
            }
        }
        clients.clear();
    }

    /// Every key and every listing.
    void verify() {
        for (var key : keys) {
            read(key, false);
        }
        for (int group = 0; group < GROUPS; group++) {
            list(group);
        }
    }

    @Override
    public void close() {
        stopped = true;
        failed = true;
        threads.close();
    }
}
