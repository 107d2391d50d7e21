package dev.sluice.targetnode.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.peer.PeerTokens;
import dev.sluice.common.placement.Slot;
import dev.sluice.common.s3.ByteRange;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CopySourcesTest {
    private static final NodeId SELF = new NodeId("target001");
    private static final NodeId DEAD = new NodeId("target002");

    private final PeerClient peers = new PeerClient(new PeerTokens(SELF, new byte[32], InstantSource.system()));
    private Optional<HttpServer> gateway = Optional.empty();
    private Optional<ClusterView> known = Optional.empty();
    private CompletableFuture<Void> goesOn = CompletableFuture.completedFuture(null);

    @BeforeEach
    void open() throws IOException {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
        server.createContext("/", exchange -> {
            var content = exchange.getRequestURI().getPath().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, content.length);
            exchange.getResponseBody().write(content, 0, content.length / 2);
            exchange.getResponseBody().flush();
            goesOn.join();
            exchange.getResponseBody().write(content, content.length / 2, content.length - content.length / 2);
            exchange.close();
        });
        server.start();
        gateway = Optional.of(server);
        var one = BucketProperties.defaults(Optional.empty());
        var state = Planner.next(
                ClusterState.create("c", new TreeSet<>(List.of(SELF, DEAD)), new TreeMap<>()),
                join(SELF, "http://127.0.0.1:" + server.getAddress().getPort()),
                join(DEAD, "http://127.0.0.1:1"),
                registration(SELF),
                registration(DEAD),
                new Command.CreateBucket("one", 1, one),
                new Command.CreateBucket("two", 1, one.withReplicas(2)));
        known = Optional.of(ClusterView.of(state));
    }

    @AfterEach
    void close() {
        goesOn.complete(null);
        peers.close();
        gateway.orElseThrow().stop(0);
    }

    private static Command join(NodeId id, String url) {
        return new Command.Join(new Node(id, Role.TARGET, url, "", 1));
    }

    private static Command registration(NodeId id) {
        var drive = new Command.RegisteredDrive("drive of " + id, 1, true);
        return new Command.Register(id, "nonce", 0, "boot", List.of(drive));
    }

    /// A key whose slot has this primary, and which the other target, which is down, would have if its bucket had
    /// one replica.
    private String key(String name, NodeId primary) {
        var view = known.orElseThrow();
        var bucket = view.bucket(name).orElseThrow();
        return IntStream.range(0, 1000)
                .mapToObj(i -> "k" + i)
                .filter(key ->
                        view.routing().primary(Slot.of(bucket.id(), key)).id().equals(DEAD))
                .filter(key -> view.primary(bucket, key).id().equals(primary))
                .findFirst()
                .orElseThrow();
    }

    private long length(String bucket, String key) {
        var sources = new CopySources(new ClusterViews(new Known()), peers);
        try (var source = sources.open(new ObjectName(bucket, key), Conditions.NONE, Optional.empty())) {
            return source.length();
        }
    }

    @Test
    void objectOfReplicatedBucketIsAskedForAtItsSlotsPrimary() {
        var key = key("two", SELF);
        assertThat(length("two", key)).isEqualTo("/two/".length() + key.length());
        assertThatThrownBy(() -> length("two", key("two", DEAD))).isInstanceOf(StoreException.Unavailable.class);
        assertThatThrownBy(() -> length("one", key("one", DEAD))).isInstanceOf(StoreException.Unavailable.class);
    }

    /// The other side sends all that it has, whatever range is asked for.
    @Test
    void rangeBehindTheSourceIsNamedAsTheArgument() {
        var name = new ObjectName("two", key("two", SELF));
        var sources = new CopySources(new ClusterViews(new Known()), peers);
        var range = Optional.<ByteRange>of(new ByteRange.FromTo(0, 999));
        assertThatThrownBy(() -> sources.open(name, Conditions.NONE, range))
                .isInstanceOfSatisfying(
                        StoreException.InvalidArgument.class,
                        refused -> assertThat(refused.nameAndValue())
                                .containsExactly("x-amz-copy-source-range", "bytes=0-999"));
    }

    /// Its node has lost its power, or is frozen: nobody ends the connection.
    @Test
    void copyEndsWhenItsSourceSendsNothingMore() {
        goesOn = new CompletableFuture<>();
        var key = key("two", SELF);
        var sources = new CopySources(new ClusterViews(new Known()), peers);
        try (var source = sources.open(new ObjectName("two", key), Conditions.NONE, Optional.empty())) {
            var bytes = source.incoming().bytes();
            assertThatThrownBy(() -> readAll(bytes))
                    .isInstanceOf(StoreException.Unavailable.class)
                    .hasMessageContaining("no byte came for 5000 ms");
        }
    }

    private static void readAll(ByteSource bytes) throws IOException {
        while (bytes.next().hasRemaining()) {
            // on to the next piece
        }
    }

    private final class Known implements ControlPlane {
        @Override
        public ClusterView view() {
            return known.orElseThrow();
        }

        @Override
        public CompletableFuture<ClusterState> watch(long version) {
            return CompletableFuture.completedFuture(current());
        }

        @Override
        public ClusterState apply(Command command) {
            throw new UnsupportedOperationException();
        }

        @Override
        public ClusterState confirm() {
            return current();
        }
    }
}
