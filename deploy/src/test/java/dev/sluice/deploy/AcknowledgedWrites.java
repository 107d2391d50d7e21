package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/// What was written to a bucket and what of it was acknowledged. Each key belongs to one writer; of a change that was
/// not answered the key is old or new.
final class AcknowledgedWrites {
    private static final int MIB = 1 << 20;

    /// A key's content: a seed and a length, or nothing.
    private record Body(String seed, int length) {
        byte[] bytes() {
            return Content.of(seed, length);
        }
    }

    private interface Change {
        void run() throws SdkException;
    }

    /// An upload that was begun, with parts that were acknowledged.
    private record Upload(String key, String id, Body first, Body last, CompletedPart one, CompletedPart two) {}

    private final S3Client s3;
    private final String bucket;
    private final Map<String, List<Optional<Body>>> may = new ConcurrentHashMap<>();
    private final List<Upload> pending = new ArrayList<>();
    private final AtomicInteger seeds = new AtomicInteger();
    private final AtomicLong acknowledged = new AtomicLong();
    private volatile int lastRefusal;

    AcknowledgedWrites(S3Client s3, String bucket) {
        this.s3 = s3;
        this.bucket = bucket;
    }

    /// The status of the last change that was refused.
    int lastRefusal() {
        return lastRefusal;
    }

    long count() {
        return acknowledged.get();
    }

    /// @return whether it was acknowledged
    boolean put(String key, int length) {
        var body = new Body(key + seeds.incrementAndGet(), length);
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

    private boolean change(String key, Optional<Body> to, Change change) {
        may.computeIfAbsent(key, _ -> new ArrayList<>(List.of(Optional.empty())))
                .add(to);
        try {
            change.run();
        } catch (S3Exception refused) {
            assertThat(refused.statusCode()).as("%s: %s", key, refused).isGreaterThanOrEqualTo(500);
            lastRefusal = refused.statusCode();
            return false;
        } catch (SdkException lost) {
            return false;
        }
        may.put(key, new ArrayList<>(List.of(to)));
        acknowledged.incrementAndGet();
        return true;
    }

    /// Parts that are acknowledged; [#completePending] makes objects of them.
    void beginUpload(String key) {
        try {
            var id = s3.createMultipartUpload(request -> request.bucket(bucket).key(key))
                    .uploadId();
            var first = new Body(key + seeds.incrementAndGet(), 5 * MIB);
            var last = new Body(key + seeds.incrementAndGet(), 200_000);
            var upload = new Upload(key, id, first, last, part(key, id, 1, first), part(key, id, 2, last));
            synchronized (pending) {
                pending.add(upload);
            }
        } catch (S3Exception refused) {
            assertThat(refused.statusCode()).as("upload of %s", key).isGreaterThanOrEqualTo(500);
        } catch (SdkException lost) {
            return; // nothing was promised
        }
    }

    private CompletedPart part(String key, String id, int number, Body body) {
        var answer = s3.uploadPart(
                request -> request.bucket(bucket).key(key).uploadId(id).partNumber(number),
                RequestBody.fromBytes(body.bytes()));
        return CompletedPart.builder().partNumber(number).eTag(answer.eTag()).build();
    }

    /// Completes what was begun, after a crash or not, and compares.
    void completePending() {
        synchronized (pending) {
            for (var upload : pending) {
                s3.completeMultipartUpload(request -> request.bucket(bucket)
                        .key(upload.key)
                        .uploadId(upload.id)
                        .multipartUpload(parts -> parts.parts(upload.one, upload.two)));
                var whole = new byte[upload.first.length + upload.last.length];
                System.arraycopy(upload.first.bytes(), 0, whole, 0, upload.first.length);
                System.arraycopy(upload.last.bytes(), 0, whole, upload.first.length, upload.last.length);
                assertThat(Content.digest(get(upload.key).orElseThrow()))
                        .as(upload.key)
                        .isEqualTo(Content.digest(whole));
                s3.deleteObject(request -> request.bucket(bucket).key(upload.key));
            }
            pending.clear();
        }
    }

    /// Every key is what it was acknowledged to be, or old or new where no answer came; and the listing says the
    /// same as the objects. What was found is what counts from here on.
    void verify() {
        var found = new TreeMap<String, Long>();
        for (var each : may.entrySet()) {
            var key = each.getKey();
            var body = get(key);
            var fits = each.getValue().stream()
                    .filter(state -> state.isPresent() == body.isPresent()
                            && (body.isEmpty()
                                    || Content.digest(state.orElseThrow().bytes())
                                            .equals(Content.digest(body.get()))))
                    .findFirst();
            assertThat(fits)
                    .as("%s: found %s of %s", key, body.map(bytes -> bytes.length), each.getValue())
                    .isPresent();
            body.ifPresent(bytes -> found.put(key, (long) bytes.length));
            each.setValue(new ArrayList<>(List.of(fits.orElseThrow())));
        }
        var listed = new TreeMap<String, Long>();
        s3.listObjectsV2Paginator(request -> request.bucket(bucket).maxKeys(300))
                .contents()
                .forEach(object -> listed.put(object.key(), object.size()));
        assertThat(listed).as("the listing and the objects").isEqualTo(found);
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
