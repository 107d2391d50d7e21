package dev.sluice.backend.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.backend.Backend;
import dev.sluice.backend.BackendAddress;
import dev.sluice.backend.BackendRead;
import dev.sluice.backend.BackendSettings;
import dev.sluice.backend.clouds.Backends;
import dev.sluice.common.store.StoreException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConnectGuardTest {
    private static final BackendSettings ONE_CONNECTION = new BackendSettings(
            1,
            0,
            Duration.ofSeconds(2),
            Duration.ofSeconds(5),
            Duration.ofSeconds(2),
            4,
            Duration.ofMillis(100),
            Duration.ofSeconds(5),
            5L << 30,
            128L << 20);

    private final AtomicInteger requests = new AtomicInteger();
    private HttpServer server;
    private int status = 404;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                requests.incrementAndGet();
                exchange.getResponseHeaders().add("Location", url("localhost") + "/elsewhere");
                exchange.sendResponseHeaders(status, -1);
            }
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private URI url(String host) {
        return URI.create("http://%s:%d".formatted(host, server.getAddress().getPort()));
    }

    private Backend open(String bucket, String host, Reach reach) {
        var address = BackendAddress.parse(bucket).endpoint(url(host));
        var connection = new BackendConnection(address, new BackendCredentials.Anonymous(), reach);
        return Backends.open(connection, ONE_CONNECTION, new SimpleMeterRegistry());
    }

    private static ConnectGuard guard(Reach reach, ConnectGuard.Names names) {
        var address = BackendAddress.parse("s3://b").endpoint(URI.create("https://minio.example.com"));
        return new ConnectGuard(new BackendConnection(address, new BackendCredentials.Anonymous(), reach), names);
    }

    @ParameterizedTest
    @CsvSource({
        "8.8.8.8,               true,  true",
        "2001:4860:4860::8888,  true,  true",
        "127.0.0.1,             true,  false",
        "::1,                   true,  false",
        "10.1.2.3,              true,  false",
        "172.16.0.1,            true,  false",
        "192.168.1.1,           true,  false",
        "100.64.0.1,            true,  false",
        "fd12::1,               true,  false",
        "64:ff9b::a00:1,        true,  false",
        "169.254.169.254,       false, false",
        "169.254.0.1,           false, false",
        "fe80::1,               false, false",
        "fd00:ec2::254,         false, false",
        "fd00:ec2::23,          false, false",
        "fd20:ce::254,          false, false",
        "100.100.100.200,       false, false",
        "::169.254.169.254,     false, false",
        "0.0.0.0,               false, false",
        "0.1.2.3,               false, false",
        "::,                    false, false",
        "239.1.1.1,             false, false",
        "ff02::1,               false, false",
        "255.255.255.255,       false, false",
    })
    void theAddressOfEachConnectionIsJudged(String address, boolean named, boolean open) throws IOException {
        var leadsTo = new InetAddress[] {InetAddress.ofLiteral(address)};
        for (var reach : Reach.values()) {
            var guard = guard(reach, _ -> leadsTo);
            if (reach == Reach.NAMED ? named : open) {
                assertThat(guard.resolve("minio.example.com")).isEqualTo(leadsTo);
            } else {
                assertThatThrownBy(() -> guard.resolve("minio.example.com"))
                        .isInstanceOf(StoreException.BackendDenied.class)
                        .hasMessageContaining("minio.example.com has the address");
            }
        }
    }

    /// A name that leads to a cloud when a bucket is made, and to the metadata service when a connection is.
    @Test
    void aNameThatChangesItsAddressIsJudgedEachTime() throws IOException {
        var answers = List.of("8.8.8.8", "169.254.169.254").iterator();
        var guard = guard(Reach.PUBLIC, _ -> new InetAddress[] {InetAddress.ofLiteral(answers.next())});
        assertThat(guard.resolve("rebound.example.com")).hasSize(1);
        assertThatThrownBy(() -> guard.resolve("rebound.example.com")).isInstanceOf(StoreException.BackendDenied.class);
    }

    @Test
    void oneBadAddressAmongGoodOnesIsEnough() {
        var guard = guard(Reach.PUBLIC, _ ->
                new InetAddress[] {InetAddress.ofLiteral("8.8.8.8"), InetAddress.ofLiteral("127.0.0.1")});
        assertThatThrownBy(() -> guard.resolve("mixed.example.com")).isInstanceOf(StoreException.BackendDenied.class);
    }

    @Test
    void anUnknownNameIsNoRefusal() {
        var guard = guard(Reach.NAMED, host -> {
            throw new UnknownHostException(host);
        });
        assertThatThrownBy(() -> guard.resolve("none.example.com")).isInstanceOf(UnknownHostException.class);
    }

    /// Twice with one connection, so that a refusal that kept it would be seen.
    @ParameterizedTest
    @ValueSource(strings = {"s3://bucket", "gs://bucket"})
    void eachCloudsClientConnectsOnlyWhereItMay(String bucket) {
        try (var refused = open(bucket, "localhost", Reach.PUBLIC)) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> refused.get("a", BackendRead.WHOLE))
                        .isInstanceOf(StoreException.BackendDenied.class)
                        .hasMessageContaining("a private address");
            }
            assertThat(requests).hasValue(0);
        }
        try (var named = open(bucket, "localhost", Reach.NAMED)) {
            assertThatThrownBy(() -> named.get("a", BackendRead.WHOLE)).isInstanceOf(StoreException.class);
            assertThat(requests.get()).isPositive();
        }
    }

    @ParameterizedTest
    @CsvSource({"s3://bucket, 307", "s3://bucket, 301", "gs://bucket, 307", "gs://bucket, 301"})
    void noRedirectIsFollowed(String bucket, int redirect) {
        status = redirect;
        try (var backend = open(bucket, "127.0.0.1", Reach.NAMED)) {
            var asked = new AtomicInteger();
            server.createContext("/elsewhere", exchange -> {
                try (exchange) {
                    asked.incrementAndGet();
                    exchange.sendResponseHeaders(200, -1);
                }
            });
            assertThatThrownBy(() -> backend.list("", "", "", 1)).isInstanceOf(StoreException.class);
            assertThat(asked).hasValue(0);
        }
    }
}
