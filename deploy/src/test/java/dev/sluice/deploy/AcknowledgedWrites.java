package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.PromiseBroken;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/// What was written to a bucket and what of it was acknowledged. Each key belongs to one writer; of a change that was
/// not answered the key is old or new.
final class AcknowledgedWrites {
    private static final int LEAST_PART = 5 << 20;

    /// As `Retry-After` asks of clients, but shorter.
    private static final Duration BACK_OFF = Duration.ofMillis(50);

    /// A key's content: a seed and a length, or nothing.
    private record Body(String seed, int length) {
        byte[] bytes() {
            return Content.of(seed, length);
        }
    }

    private interface Request {
        void run() throws SdkException;
    }

    /// An upload that was begun, with parts that were acknowledged.
    private record Upload(String key, String id, Body body, List<CompletedPart> parts) {}

    private final S3Client s3;
    private final String bucket;
    private final Map<String, List<Optional<Body>>> may = new ConcurrentHashMap<>();
    private final List<Upload> pending = new ArrayList<>();
    private final AtomicInteger seeds = new AtomicInteger();
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong slowest = new AtomicLong();
    private final Set<Integer> refusals = new ConcurrentSkipListSet<>();
    private volatile int lastRefusal;

    AcknowledgedWrites(S3Client s3, String bucket) {
        this.s3 = s3;
        this.bucket = bucket;
    }

    /// The status of the last request that was refused.
    int lastRefusal() {
        return lastRefusal;
    }

    /// The statuses of all that were.
    Set<Integer> refusals() {
        return refusals;
    }

    /// The longest that anybody waited for an answer.
    Duration slowest() {
        return Duration.ofNanos(slowest.get());
    }

    /// Changes that were acknowledged.
    long count() {
        return acknowledged.get();
    }

    /// @return whether it was acknowledged
    boolean put(String key, int length) {
        var body = body(key, length);
        return change(
                key,
                Optional.of(body),
                () -> s3.putObject(request -> request.bucket(bucket).key(key), RequestBody.fromBytes(body.bytes())));
    }

    boolean delete(String key) {
        return change(
                key,
                Optional.empty(),
                () -> s3.deleteObject(request -> request.bucket(bucket).key(key)));
    }

    /// @return whether it was acknowledged; false too when nobody knows what would be copied
    boolean copy(String from, String to) {
        var source = may.getOrDefault(from, List.of(Optional.empty()));
        return source.size() == 1
                && source.getFirst().isPresent()
                && change(
                        to,
                        source.getFirst(),
                        () -> s3.copyObject(request -> request.sourceBucket(bucket)
                                .sourceKey(from)
                                .destinationBucket(bucket)
                                .destinationKey(to)));
    }

    /// A multipart upload from its beginning to its end.
    boolean upload(String key, int... parts) {
        var begun = begin(key, parts);
        return begun.isPresent() && change(key, Optional.of(begun.get().body), () -> complete(begun.get()));
    }

    /// Parts that are acknowledged; [#completePending] makes objects of them.
    void beginUpload(String key) {
        begin(key, LEAST_PART, 200_000).ifPresent(upload -> {
            synchronized (pending) {
                pending.add(upload);
            }
        });
    }

    /// What a GET finds has to be right, and counts from here on. A refusal tells nothing.
    void read(String key) {
        answered("GET of " + key, () -> settle(key, get(key)));
    }

    private Body body(String key, int length) {
        return new Body(key + seeds.incrementAndGet(), length);
    }

    private boolean change(String key, Optional<Body> to, Request change) {
        may.computeIfAbsent(key, _ -> new ArrayList<>(List.of(Optional.empty())))
                .add(to);
        if (!answered(key, change)) {
            return false;
        }
        may.put(key, new ArrayList<>(List.of(to)));
        acknowledged.incrementAndGet();
        return true;
    }

    /// @return whether the answer was good; others may be refusals by the server's fault, or lost
    private boolean answered(String what, Request request) {
        long began = System.nanoTime();
        try {
            request.run();
            return true;
        } catch (S3Exception refused) {
            assertThat(refused.statusCode()).as("%s: %s", what, refused).isGreaterThanOrEqualTo(500);
            lastRefusal = refused.statusCode();
            refusals.add(refused.statusCode());
            LockSupport.parkNanos(BACK_OFF.toNanos());
            return false;
        } catch (SdkException lost) {
            return false;
        } finally {
            slowest.accumulateAndGet(System.nanoTime() - began, Math::max);
        }
    }

    private Optional<Upload> begin(String key, int... lengths) {
        var body = body(key, IntStream.of(lengths).sum());
        var parts = new ArrayList<CompletedPart>();
        var id = new String[1];
        boolean begun = answered("upload of " + key, () -> {
            id[0] = s3.createMultipartUpload(request -> request.bucket(bucket).key(key))
                    .uploadId();
            int at = 0;
            for (int length : lengths) {
                var bytes = Arrays.copyOfRange(body.bytes(), at, at + length);
                parts.add(part(key, id[0], parts.size() + 1, bytes));
                at += length;
            }
        });
        return begun ? Optional.of(new Upload(key, id[0], body, List.copyOf(parts))) : Optional.empty();
    }

    private CompletedPart part(String key, String id, int number, byte[] bytes) {
        var answer = s3.uploadPart(
                request -> request.bucket(bucket).key(key).uploadId(id).partNumber(number),
                RequestBody.fromBytes(bytes));
        return CompletedPart.builder().partNumber(number).eTag(answer.eTag()).build();
    }

    private void complete(Upload upload) {
        s3.completeMultipartUpload(request -> request.bucket(bucket)
                .key(upload.key)
                .uploadId(upload.id)
                .multipartUpload(parts -> parts.parts(upload.parts)));
    }

    /// Completes what was begun, after a crash or not, and compares. Ends uploads of which nobody knows whether they
    /// have begun or are complete.
    void completePending() {
        synchronized (pending) {
            var listed = unfinished();
            PromiseBroken.check(() -> assertThat(listed.stream().map(MultipartUpload::uploadId))
                    .as("unfinished uploads")
                    .containsAll(pending.stream().map(Upload::id).toList()));
            for (var upload : pending) {
                complete(upload);
                var found = get(upload.key);
                PromiseBroken.check(() -> assertThat(found.map(Content::digest))
                        .as(upload.key)
                        .contains(Content.digest(upload.body.bytes())));
                s3.deleteObject(request -> request.bucket(bucket).key(upload.key));
            }
            for (var upload : listed) {
                if (pending.stream().noneMatch(each -> each.id.equals(upload.uploadId()))) {
                    s3.abortMultipartUpload(
                            request -> request.bucket(bucket).key(upload.key()).uploadId(upload.uploadId()));
                }
            }
            pending.clear();
        }
    }

    /// Another drive may have become primary meanwhile, which ends the uploads of its keys.
    void completeThoseThatAreLeft() {
        synchronized (pending) {
            var left = unfinished().stream().map(MultipartUpload::uploadId).toList();
            pending.removeIf(upload -> !left.contains(upload.id));
            completePending();
        }
    }

    private List<MultipartUpload> unfinished() {
        return s3.listMultipartUploadsPaginator(request -> request.bucket(bucket)).uploads().stream()
                .toList();
    }

    /// Every key is what it was acknowledged to be, or old or new where no answer came; and the listing says the
    /// same as the objects. What was found is what counts from here on.
    void verify() {
        var found = new TreeMap<String, Long>();
        for (var key : may.keySet()) {
            var body = get(key);
            settle(key, body);
            body.ifPresent(bytes -> found.put(key, (long) bytes.length));
        }
        PromiseBroken.check(
                () -> assertThat(list("")).as("the listing and the objects").isEqualTo(found));
    }

    private void settle(String key, Optional<byte[]> found) {
        var states = may.getOrDefault(key, List.of(Optional.empty()));
        var fits = states.stream()
                .filter(state -> state.isPresent() == found.isPresent()
                        && (found.isEmpty()
                                || Content.digest(state.orElseThrow().bytes()).equals(Content.digest(found.get()))))
                .findFirst();
        may.put(
                key,
                new ArrayList<>(List.of(fits.orElseThrow(() -> new PromiseBroken(
                        "%s: found %s of %s".formatted(key, found.map(bytes -> bytes.length), states))))));
    }

    /// A listing of keys that nobody changes now has to be right, or is refused.
    void readListing(String prefix) {
        answered("listing of " + prefix, () -> {
            var sizes = new TreeMap<String, Long>();
            may.forEach((key, states) -> {
                if (key.startsWith(prefix)) {
                    states.getFirst().ifPresent(body -> sizes.put(key, (long) body.length));
                }
            });
            var listed = list(prefix);
            PromiseBroken.check(
                    () -> assertThat(listed).as("the listing of " + prefix).isEqualTo(sizes));
        });
    }

    private Map<String, Long> list(String prefix) {
        var listed = new TreeMap<String, Long>();
        s3.listObjectsV2Paginator(
                        request -> request.bucket(bucket).prefix(prefix).maxKeys(300))
                .contents()
                .forEach(object -> listed.put(object.key(), object.size()));
        return listed;
    }

    private Optional<byte[]> get(String key) {
        try {
            return Optional.of(
                    s3.getObjectAsBytes(request -> request.bucket(bucket).key(key))
                            .asByteArray());
        } catch (NoSuchKeyException missing) {
            return Optional.empty();
        }
    }
}
