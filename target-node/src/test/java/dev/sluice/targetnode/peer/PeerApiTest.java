package dev.sluice.targetnode.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.auth.SealedSecrets;
import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.ClusterJson;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.cluster.StateUpdate;
import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.QueryParameters;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerPaths;
import dev.sluice.common.peer.PeerTokens;
import dev.sluice.common.peer.ReplicaService;
import dev.sluice.common.peer.SentState;
import dev.sluice.common.peer.TargetService;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.Controller;
import dev.sluice.targetnode.controller.files.TestDrives;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Calls of another node, as they are and changed on their way, at the controller.
class PeerApiTest {
    private static final byte[] KEY = "the cluster's own key".getBytes(StandardCharsets.UTF_8);
    private static final NodeId HERE = new NodeId("target001");
    private static final String SECRET = "the client's secret key";

    private final SealedSecrets secrets = new SealedSecrets(KEY);
    private final PeerTokens caller = new PeerTokens(new NodeId("proxy001"), KEY, InstantSource.system());

    @TempDir
    private Path drive;

    private Controller controller;
    private PeerApi api;

    @BeforeEach
    void open() throws IOException {
        Files.createDirectories(drive.resolve(".sluice"));
        controller = Controller.open(TestDrives.at(drive), Set.of(HERE), new TreeMap<>(Map.of("access", SECRET)));
        controller.apply(new Command.Join(new Node(HERE, Role.TARGET, "http://127.0.0.1:1", "", 1)));
        api = api(Optional.empty());
    }

    private PeerApi api(Optional<ReplicaService> replica) {
        return new PeerApi(
                new PeerTokens(HERE, KEY, InstantSource.system()),
                secrets,
                Optional.of(noStorage()),
                replica,
                Optional.of(new ServedController(controller)),
                new ClusterViews(controller));
    }

    @Test
    void commandIsTakenAsItWasSentAndOnlyByItsReceiver() {
        var body = ClusterJson.write(create("a"));
        assertThat(command(HERE, body, body)).isEqualTo(200);
        assertThat(controller.current().buckets().find("a")).isPresent();

        var other = ClusterJson.write(create("b"));
        assertThat(command(HERE, body, other)).as("another body").isEqualTo(400);
        assertThat(command(HERE, other, new byte[0])).as("no body").isEqualTo(400);
        assertThat(command(new NodeId("target002"), other, other))
                .as("meant for another node")
                .isEqualTo(403);
        assertThat(controller.current().buckets().find("b")).isEmpty();
    }

    @Test
    void commandLargerThanOneMebibyteIsRefused() {
        var body = new byte[PeerTokens.LARGEST_COMMAND + 1];
        assertThat(command(HERE, body, body)).isEqualTo(400);
    }

    @Test
    void messagesOfReplicasHoldTheRecordOfTheLargestObject() {
        var replica = new CountedBatches();
        var body = new byte[24 << 20];
        var sha256 = PeerTokens.sha256(body);
        var token = caller.issue(HERE, "POST", PeerPaths.REPLICA, sha256);
        var headers = Headers.of(PeerTokens.HEADER, token, PeerTokens.BODY_HEADER, sha256);
        var head = head("POST", PeerPaths.REPLICA, "", body.length, headers);
        assertThat(response(api(Optional.of(replica)).answer(head), body).status())
                .isEqualTo(204);
        assertThat(replica.bytes).hasValue(body.length);
    }

    @Test
    void bodyThatTheTokenDoesNotCoverIsRefused() {
        var body = ClusterJson.write(create("a"));
        var token = caller.issue(HERE, "POST", PeerPaths.COMMAND);
        var answer = call("POST", "", body, Headers.of(PeerTokens.HEADER, token));
        assertThat(answer.status()).isEqualTo(403);
        assertThat(controller.current().buckets().find("a")).isEmpty();
    }

    @Test
    void queryIsPartOfTheCall() {
        var token = caller.issue(HERE, "GET", PeerPaths.STATE + "?after=-1&patience=0&verifies=false");
        assertThat(state("after=-1&patience=0&verifies=false", token).status()).isEqualTo(200);
        assertThat(state("after=-1&patience=0&verifies=true", token).status()).isEqualTo(403);
    }

    @Test
    void stateIsSentWithoutSecretsAndTheKeysSealedToNodesThatVerify() throws IOException {
        for (var verifies : List.of(false, true)) {
            var query = "after=-1&patience=0&verifies=" + verifies;
            var answer = state(query, caller.issue(HERE, "GET", PeerPaths.STATE + "?" + query));
            var json = bytes(answer);
            assertThat(new String(json, StandardCharsets.ISO_8859_1)).doesNotContain(SECRET);
            var sent = ((StateUpdate.Snapshot) SentState.open(json, secrets, -1).update()).state();
            assertThat(sent.credentials()).isEqualTo(verifies ? Map.of("access", SECRET) : Map.of());
            assertThat(sent.version()).isEqualTo(controller.current().version());
            if (verifies) {
                var other = new SealedSecrets("another cluster's key".getBytes(StandardCharsets.UTF_8));
                assertThatThrownBy(() -> SentState.open(json, other, -1))
                        .isInstanceOf(StoreException.Unavailable.class);
            }
        }
    }

    /// A sender that is cut off after its head must not make this target look starved.
    @Test
    void batchOfMessagesWaitsForAThreadOnlyWhenBytesOfItAreHere() {
        var replica = new CountedBatches();
        var here = api(Optional.of(replica));
        var sha256 = PeerTokens.sha256(new byte[100]);
        var token = caller.issue(HERE, "POST", PeerPaths.REPLICA, sha256);
        var headers = Headers.of(PeerTokens.HEADER, token, PeerTokens.BODY_HEADER, sha256);
        var head = head("POST", PeerPaths.REPLICA, "", 100, headers);
        assertThat(here.answer(head)).isInstanceOf(Blocking.class);
        var threads = here.threads(head).orElseThrow();
        assertThat(replica.waiting).hasValue(0);

        var seen = new CompletableFuture<Integer>();
        threads.execute(() -> seen.complete(replica.waiting.get()));
        assertThat(seen.orTimeout(10, TimeUnit.SECONDS).join())
                .as("with its thread it waits no more")
                .isZero();
        assertThat(replica.arrived).hasValue(1);
    }

    private static final class CountedBatches implements ReplicaService {
        private final AtomicInteger arrived = new AtomicInteger();
        private final AtomicInteger waiting = new AtomicInteger();
        private final AtomicInteger bytes = new AtomicInteger();

        @Override
        public Runnable arrived() {
            arrived.incrementAndGet();
            waiting.incrementAndGet();
            return waiting::decrementAndGet;
        }

        @Override
        public void messages(NodeId from, byte[] batch) {
            bytes.addAndGet(batch.length);
        }

        @Override
        public boolean ping(NodeId from) {
            throw new AssertionError("no ping");
        }

        @Override
        public SortedMap<String, Integer> writable() {
            return new TreeMap<>(Map.of("d1", 7));
        }

        @Override
        public Response content(QueryParameters query) {
            throw new AssertionError("no content");
        }
    }

    private static Command create(String bucket) {
        return new Command.CreateBucket(bucket, 1, BucketProperties.defaults(Optional.empty()));
    }

    /// @return the status when the token is made for `signed`, and `sent` comes
    private int command(NodeId receiver, byte[] signed, byte[] sent) {
        var sha256 = PeerTokens.sha256(signed);
        var token = caller.issue(receiver, "POST", PeerPaths.COMMAND + "?after=-1&verifies=false", sha256);
        var headers = Headers.of(PeerTokens.HEADER, token, PeerTokens.BODY_HEADER, sha256);
        return call("POST", "after=-1&verifies=false", sent, headers).status();
    }

    private Response state(String query, String token) {
        var head = head("GET", PeerPaths.STATE, query, 0, Headers.of(PeerTokens.HEADER, token));
        return response(api.answer(head), new byte[0]);
    }

    private Response call(String method, String query, byte[] body, Headers headers) {
        return response(api.answer(head(method, PeerPaths.COMMAND, query, body.length, headers)), body);
    }

    private static Response response(Answer answer, byte[] body) {
        return (Response)
                (answer instanceof Blocking(var work) ? work.run(ByteSource.of(ByteBuffer.wrap(body))) : answer);
    }

    private static byte[] bytes(Response response) {
        var body = ((ResponseBody.Bytes) response.body()).bytes().duplicate();
        var bytes = new byte[body.remaining()];
        body.get(bytes);
        return bytes;
    }

    private static RequestHead head(String method, String path, String query, long length, Headers headers) {
        var remote = InetSocketAddress.createUnresolved("node", 1);
        return new RequestHead(method, path, query, headers, length, remote, false, "request");
    }

    /// None of these calls reaches it.
    static TargetService noStorage() {
        return (TargetService) Proxy.newProxyInstance(
                TargetService.class.getClassLoader(), new Class<?>[] {TargetService.class}, (_, method, _) -> {
                    throw new AssertionError(method + " was called");
                });
    }
}
