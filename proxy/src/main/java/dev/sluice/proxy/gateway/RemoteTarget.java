package dev.sluice.proxy.gateway;

import dev.sluice.common.cluster.BackendSpec;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterJson;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.http.Answer;
import dev.sluice.common.peer.BackendCheck;
import dev.sluice.common.peer.BucketUsage;
import dev.sluice.common.peer.DeleteOutcome;
import dev.sluice.common.peer.DriveScrub;
import dev.sluice.common.peer.ExpiryStatus;
import dev.sluice.common.peer.HeldRows;
import dev.sluice.common.peer.ListingCodec;
import dev.sluice.common.peer.LiveJob;
import dev.sluice.common.peer.Mountpath;
import dev.sluice.common.peer.MountpathChange;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.peer.PeerPaths;
import dev.sluice.common.peer.RecentReads;
import dev.sluice.common.peer.ResilverCommand;
import dev.sluice.common.peer.ResilverStatus;
import dev.sluice.common.peer.ScrubCommand;
import dev.sluice.common.peer.SlotQuestion;
import dev.sluice.common.peer.TargetPage;
import dev.sluice.common.peer.TargetService;
import dev.sluice.common.peer.TargetUploads;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.common.s3.listing.ListedObject;
import dev.sluice.common.s3.listing.UploadsQuery;
import dev.sluice.common.samples.ReceivedSamples;
import dev.sluice.common.samples.SampleBatch;
import dev.sluice.common.samples.SampleStream;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/// A target in another process: small calls. Requests on objects are relayed ([ObjectRoute]), as they came.
final class RemoteTarget implements TargetService {
    private static final Duration CALL = Duration.ofSeconds(30);

    /// A page of keys is a matter of milliseconds: a listing is not to wait longer for a node that stands still.
    private static final Duration HELD = Duration.ofSeconds(5);
    private static final Duration LIST = Duration.ofSeconds(4);

    /// A target that makes samples says something every 5 s.
    private static final Duration SILENCE = Duration.ofSeconds(20);

    private static final int KEYS_AT_ONCE = 256; // of 1 KiB, which JSON may double, a command has room for

    private final Node node;
    private final PeerAddress address;
    private final PeerClient peers;

    RemoteTarget(Node node, PeerClient peers) {
        this.node = node;
        this.address = PeerAddress.of(node);
        this.peers = peers;
    }

    @Override
    public Answer object(ObjectCall call) {
        throw new UnsupportedOperationException("requests on objects are relayed, not called: " + call.request());
    }

    @Override
    public Answer objectOfAway(ObjectCall call) {
        return object(call);
    }

    @Override
    public SampleStream samples(SampleBatch batch) {
        return new ReceivedSamples(peers.stream(address, PeerPaths.SAMPLES, batch.encode(), SILENCE));
    }

    @Override
    public TargetPage list(Bucket bucket, ListQuery query) {
        return ListingCodec.decodePage(page(PeerPaths.LIST, bucket, query, LIST));
    }

    @Override
    public List<ListedObject> listCloud(Bucket bucket, ListQuery query) {
        return ListingCodec.decode(page(PeerPaths.LIST_CLOUD, bucket, query, CALL));
    }

    @Override
    public BackendCheck checkBackend(BackendSpec spec) {
        return read(
                peers.post(address, PeerPaths.CHECK_BACKEND, "", ClusterJson.write(spec), CALL), BackendCheck.class);
    }

    @Override
    public TargetUploads listUploads(Bucket bucket, UploadsQuery query) {
        var asked = "%s&prefix=%s&key=%s&upload=%s&limit=%d"
                .formatted(
                        named(bucket),
                        encode(query.prefix()),
                        encode(query.keyMarker()),
                        encode(query.idMarker()),
                        query.limit());
        return read(peers.get(address, PeerPaths.UPLOADS, asked, LIST), TargetUploads.class);
    }

    @Override
    public List<DeleteOutcome> delete(Bucket bucket, List<S3Request.Deletion> deletions, BooleanSupplier abandoned) {
        var outcomes = new ArrayList<DeleteOutcome>(deletions.size());
        for (int from = 0; from < deletions.size(); from += KEYS_AT_ONCE) {
            if (abandoned.getAsBoolean()) {
                throw new StoreException.Unavailable("the client has gone; what is left of its list is not deleted");
            }
            var some = deletions.subList(from, Math.min(from + KEYS_AT_ONCE, deletions.size()));
            var answer = peers.post(address, PeerPaths.DELETE, named(bucket), ClusterJson.write(some), CALL, abandoned);
            outcomes.addAll(List.of(read(answer, DeleteOutcome[].class)));
        }
        return outcomes;
    }

    @Override
    public boolean isEmpty(Bucket bucket, long stateVersion, boolean uploadsCount) {
        var query = "%s&version=%d&uploads=%b".formatted(named(bucket), stateVersion, uploadsCount);
        return read(peers.get(address, PeerPaths.EMPTY, query, CALL), Boolean.class);
    }

    @Override
    public List<BucketUsage> usage(List<Long> bucketIds) {
        return List.of(read(
                peers.post(address, PeerPaths.USAGE, "", ClusterJson.write(bucketIds), CALL), BucketUsage[].class));
    }

    @Override
    public List<HeldRows> held(SlotQuestion question) {
        return List.of(
                read(peers.post(address, PeerPaths.HELD, "", ClusterJson.write(question), HELD), HeldRows[].class));
    }

    @Override
    public ExpiryStatus expiry(long bucketId) {
        return read(peers.get(address, PeerPaths.EXPIRY, "id=" + bucketId, CALL), ExpiryStatus.class);
    }

    @Override
    public RecentReads reads(long bucketId) {
        return read(peers.get(address, PeerPaths.READS, "id=" + bucketId, CALL), RecentReads.class);
    }

    @Override
    public List<Mountpath> mountpaths() {
        return List.of(read(peers.get(address, PeerPaths.MOUNTPATHS, "", CALL), Mountpath[].class));
    }

    @Override
    public String changeMountpath(MountpathChange change, String which) {
        var query = "change=%s&drive=%s".formatted(change, encode(which));
        return read(peers.post(address, PeerPaths.MOUNTPATH, query, new byte[0], CALL), String.class);
    }

    @Override
    public List<DriveScrub> scrub(ScrubCommand command) {
        return List.of(
                read(peers.post(address, PeerPaths.SCRUB, "", ClusterJson.write(command), CALL), DriveScrub[].class));
    }

    @Override
    public ResilverStatus resilver(ResilverCommand command) {
        return read(
                peers.post(address, PeerPaths.RESILVER, "", ClusterJson.write(command), CALL), ResilverStatus.class);
    }

    @Override
    public List<LiveJob> jobs(Optional<String> id) {
        var query = id.map(only -> "id=" + encode(only)).orElse("");
        return List.of(read(peers.get(address, PeerPaths.JOBS, query, LIST), LiveJob[].class));
    }

    private byte[] page(String path, Bucket bucket, ListQuery query, Duration time) {
        var asked = "%s&prefix=%s&delimiter=%s&from=%s&limit=%d"
                .formatted(
                        named(bucket),
                        encode(query.prefix()),
                        encode(query.delimiter()),
                        encode(query.from()),
                        query.limit());
        return peers.get(address, path, asked, time);
    }

    private <T> T read(byte[] json, Class<T> type) {
        try {
            return ClusterJson.read(json, type);
        } catch (IOException e) {
            throw new StoreException.Unavailable("invalid response from %s: %s".formatted(node.id(), e.getMessage()));
        }
    }

    private static String named(Bucket bucket) {
        return "bucket=%s&id=%d".formatted(encode(bucket.name()), bucket.id());
    }

    private static String encode(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }
}
