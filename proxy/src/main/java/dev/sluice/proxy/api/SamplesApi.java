package dev.sluice.proxy.api;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.common.auth.Authenticator;
import dev.sluice.common.auth.Caller;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.concurrent.Deadline;
import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.ByteSink;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.HttpHandler;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Errors;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.samples.FramedSink;
import dev.sluice.common.samples.Gather;
import dev.sluice.common.samples.Patience;
import dev.sluice.common.samples.SampleBatch;
import dev.sluice.common.samples.SampleFrame;
import dev.sluice.common.samples.SampleSink;
import dev.sluice.common.samples.SampleStream;
import dev.sluice.common.samples.SampleTargets;
import dev.sluice.common.samples.ShardCounts;
import dev.sluice.common.store.StoreException;
import dev.sluice.proxy.gateway.RequestBodies;
import dev.sluice.proxy.gateway.Targets;
import dev.sluice.proxy.s3.AccessCheck;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/// `POST /v1/samples`: samples of many shards as one stream, or how many each shard has. Whoever may read the shards
/// may ask, so also clients that do not sign.
public final class SamplesApi implements HttpHandler {
    public static final String PATH = "/v1/samples";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String TAR = "application/x-tar";
    private static final Duration LATELY = Duration.ofSeconds(1);
    private static final Duration READ = Duration.ofSeconds(4);

    private final Authenticator authenticator;
    private final ClusterViews views;
    private final SampleTargets targets;

    public SamplesApi(Authenticator authenticator, ClusterViews views, Targets targets) {
        this.authenticator = authenticator;
        this.views = views;
        this.targets = new ByNewestMap(views, targets);
    }

    private record ByNewestMap(ClusterViews views, Targets targets) implements SampleTargets {
        @Override
        public Optional<Node> primary(SampleBatch.Shard shard) {
            try {
                var view = views.current();
                return view.bucket(shard.bucket())
                        .filter(bucket -> bucket.id() == shard.bucketId())
                        .map(bucket -> view.primary(bucket, shard.key()));
            } catch (StoreException.Unavailable _) {
                return Optional.empty();
            }
        }

        @Override
        public SampleStream samples(Node target, SampleBatch batch) {
            return targets.of(target).samples(batch);
        }
    }

    @Override
    public Answer answer(RequestHead head) {
        Caller caller;
        try {
            caller = authenticator.authenticate(head);
        } catch (S3Failure e) {
            return NativeApi.error(head, e.error());
        }
        return new Blocking(body -> {
            try {
                return answer(head, caller, body);
            } catch (StoreException e) {
                return NativeApi.error(head, S3Errors.inOurWords(e));
            } catch (S3Failure e) {
                return NativeApi.error(head, e.error());
            }
        });
    }

    private Response answer(RequestHead head, Caller caller, ByteSource body) {
        if (!head.method().equals("POST")) {
            throw new S3Failure(S3Code.METHOD_NOT_ALLOWED, "Samples are asked for with POST");
        }
        var batch = judged(caller, SampleBatch.parse(RequestBodies.read(head, caller, body, SampleBatch.LARGEST)));
        if (batch.items().isEmpty()) {
            return streamed("application/x-ndjson", sink -> count(batch, sink));
        }
        boolean tar = head.headers().first("Accept").filter(TAR::equals).isPresent();
        return streamed(
                tar ? TAR : "application/x-sluice-samples",
                sink -> new Gather(targets, batch, Patience.USUAL)
                        .sendTo(tar ? new TarOnly(sink) : new FramedSink(sink)));
    }

    private static Response streamed(String type, ResponseBody.Writer writer) {
        return new Response(
                200, Headers.of("Content-Type", type), new ResponseBody.Streamed(RequestHead.UNKNOWN_LENGTH, writer));
    }

    /// All of them, before the first byte is sent.
    ///
    /// @return the batch, about these buckets whatever becomes of their names
    private SampleBatch judged(Caller caller, SampleBatch batch) {
        var view = views.current();
        boolean known = batch.shards().stream()
                .allMatch(shard -> view.bucket(shard.bucket()).isPresent());
        return judged(caller, batch, known ? view : newer(caller));
    }

    private ClusterView newer(Caller caller) {
        return Deadline.in(READ).call(() -> caller.identity().trusted() ? views.confirmed() : views.confirmed(LATELY));
    }

    private static SampleBatch judged(Caller caller, SampleBatch batch, ClusterView view) {
        return batch.with(batch.shards().stream()
                .map(shard -> {
                    var bucket = view.bucket(shard.bucket())
                            .orElseThrow(() -> new StoreException.NoSuchBucket(shard.bucket()));
                    AccessCheck.authoriseRead(caller, new ObjectName(shard.bucket(), shard.key()), bucket, view);
                    return shard.of(bucket.id());
                })
                .toList());
    }

    /// Without frames: only a whole tar has an end.
    private record TarOnly(ByteSink bytes) implements SampleSink {
        private static final int END = 1024;

        @Override
        public void frame(SampleFrame frame) throws IOException {
            if (!frame.isGood()) {
                throw new IOException("sample %d of shard %d of the batch: %d"
                        .formatted(frame.sample(), frame.shard(), frame.status()));
            }
            if (frame.kind() == SampleFrame.Kind.END) {
                bytes.write(ByteBuffer.allocate(END));
            }
        }
    }

    private void count(SampleBatch batch, ByteSink sink) throws IOException {
        try (var counts = new ShardCounts(targets, batch, Patience.USUAL)) {
            for (int left = batch.shards().size(); left > 0; ) {
                var told = counts.next();
                if (told.isPresent()) {
                    left--;
                }
                var line = told.isPresent()
                        ? line(told.get())
                        : JSON.createObjectNode().put("waiting", left);
                sink.write(ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8)));
            }
        }
    }

    private static ObjectNode line(ShardCounts.Told told) throws IOException {
        var line = JSON.createObjectNode().put("shard", told.shard());
        if (told.status() != 200) {
            return line.put("status", told.status()).put("message", told.text());
        }
        return line.setAll((ObjectNode) JSON.readTree(told.text()));
    }
}
