package dev.sluice.targetnode.shard;

import dev.sluice.common.auth.BodyTerms;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.ShardMember;
import dev.sluice.common.samples.SampleBatch;
import dev.sluice.common.samples.SampleFrame;
import dev.sluice.common.store.StoreException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a batch asks of shards, each as a GET of its own: so that it waits for leases, fills and repairs as that does.
final class ShardAnswers {
    private static final Logger LOG = LoggerFactory.getLogger(ShardAnswers.class);

    private static final InetSocketAddress NOBODY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final ClusterViews views;
    private final Function<ObjectCall, Answer> objects;
    private final Predicate<ObjectCall> served;
    private final Executor threads;

    /// @param objects answers requests on objects; never blocks
    /// @param served whether this target may answer for an object now; never blocks
    ShardAnswers(
            ClusterViews views, Function<ObjectCall, Answer> objects, Predicate<ObjectCall> served, Executor threads) {
        this.views = views;
        this.objects = objects;
        this.served = served;
        this.threads = threads;
    }

    /// Begins to answer. Never blocks.
    CompletableFuture<Response> begin(SampleBatch.Shard shard, ShardMember member) {
        try {
            var bucket = bucket(views.current(), shard);
            if (bucket.isEmpty()) {
                return CompletableFuture.supplyAsync(() -> inNewerView(shard, member), threads);
            }
            var call = call(shard, member, bucket.get());
            var answer = objects.apply(call);
            return answer instanceof Response now
                    ? CompletableFuture.completedFuture(now)
                    : CompletableFuture.supplyAsync(() -> whole(answer, call), threads);
        } catch (RuntimeException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    /// Under its name *and* id, so that a name used again is not mistaken for the bucket that was judged.
    private static Optional<Bucket> bucket(ClusterView view, SampleBatch.Shard shard) {
        return view.bucket(shard.bucket()).filter(bucket -> bucket.id() == shard.bucketId());
    }

    private Response inNewerView(SampleBatch.Shard shard, ShardMember member) {
        var bucket =
                bucket(views.confirmed(), shard).orElseThrow(() -> new StoreException.NoSuchBucket(shard.bucket()));
        var call = call(shard, member, bucket);
        return whole(objects.apply(call), call);
    }

    /// Whether this target may answer for the shard now, as far as it knows.
    boolean isServed(SampleBatch.Shard shard) {
        var bucket = bucket(views.current(), shard);
        return bucket.isEmpty() || served.test(call(shard, new ShardMember.Count(), bucket.get()));
    }

    /// Who loses the right to answer in the middle says so, instead of "not now".
    private Response whole(Answer answer, ObjectCall call) {
        try {
            return whole(answer);
        } catch (StoreException.Unavailable refusal) {
            if (!served.test(call)) {
                throw new StoreException.NotPrimary(String.valueOf(refusal.getMessage()));
            }
            throw refusal;
        }
    }

    private static Response whole(Answer answer) {
        return switch (answer instanceof Blocking(var work) ? work.run(ByteSource.empty()) : answer) {
            case Response response -> response;
            case Answer other -> throw new IllegalStateException("a target answers by itself: " + other);
        };
    }

    private static ObjectCall call(SampleBatch.Shard shard, ShardMember member, Bucket bucket) {
        var conditions = new Conditions(
                shard.etag().map(etag -> '"' + etag + '"'), Optional.empty(), Optional.empty(), Optional.empty());
        var request = new S3Request.GetObject(
                new ObjectName(shard.bucket(), shard.key()),
                Optional.empty(),
                conditions,
                Optional.empty(),
                false,
                new TreeMap<>(),
                Optional.of(member));
        var head = new RequestHead("GET", "/" + request.name(), "", Headers.EMPTY, 0, NOBODY, false, "batch");
        return new ObjectCall(request, head, new BodyTerms.Plain(), bucket);
    }

    /// What a frame says, and what follows it.
    ///
    /// @param forAll whether all samples of the shard are refused so
    record Framed(int status, long length, int crc32, ResponseBody body, boolean forAll) {}

    static Framed framed(CompletableFuture<Response> done) {
        try {
            var response = Await.whole(done);
            int crc32 = response.headers()
                    .first("x-sluice-crc32")
                    .map(hex -> Integer.parseUnsignedInt(hex, 16))
                    .orElse(0);
            return new Framed(200, length(response.body()), crc32, response.body(), false);
        } catch (RuntimeException failure) {
            int status = status(failure);
            if (status == 500 && !(failure instanceof StoreException)) {
                LOG.error("a sample is not served", failure);
            }
            boolean forAll = failure instanceof StoreException
                    && status < 500
                    && status != SampleFrame.ELSEWHERE
                    && !(failure instanceof StoreException.NoSuchSample);
            return text(status, String.valueOf(failure.getMessage()), forAll);
        }
    }

    private static long length(ResponseBody body) {
        return switch (body) {
            case ResponseBody.Bytes(var bytes) -> bytes.remaining();
            case ResponseBody.FileRange range -> range.length();
            case ResponseBody.Streamed _, ResponseBody.LengthOnly _ ->
                throw new IllegalStateException("no sample has such a body: " + body);
        };
    }

    static int status(RuntimeException failure) {
        return switch (failure) {
            case StoreException.NoSuchKey _, StoreException.NoSuchBucket _, StoreException.NoSuchSample _ -> 404;
            case StoreException.PreconditionFailed _ -> 412;
            case StoreException.NoWholeTar _, StoreException.SampleTooLarge _, StoreException.InvalidArgument _ -> 422;
            case StoreException.NotPrimary _ -> SampleFrame.ELSEWHERE;
            case StoreException.Damaged _, StoreException.BackendDenied _, StoreException.NoSpace _ -> 500;
            case StoreException _ -> 503;
            default -> 500;
        };
    }

    private static Framed text(int status, String why, boolean forAll) {
        var bytes = why.getBytes(StandardCharsets.UTF_8);
        var crc = new CRC32();
        crc.update(bytes);
        return new Framed(
                status, bytes.length, (int) crc.getValue(), new ResponseBody.Bytes(ByteBuffer.wrap(bytes)), forAll);
    }

    /// Of an answer that nobody wants any more, now or when it is there.
    static void close(CompletableFuture<Response> answer) {
        var _ = answer.whenComplete((response, _) -> {
            if (response != null && response.body() instanceof ResponseBody.FileRange range) {
                range.file().close();
            }
        });
    }
}
