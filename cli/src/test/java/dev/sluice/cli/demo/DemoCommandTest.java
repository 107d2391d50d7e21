package dev.sluice.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.cli.demo.cloud.ShapedCloud;
import dev.sluice.cli.demo.cloud.Traffic;
import dev.sluice.cli.demo.dataset.ShardStore;
import dev.sluice.cli.demo.reading.FolderStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// The whole demo on stores of the simplest kind: the cloud is a folder behind a small HTTP server and the shaper, the
/// proxy a folder that fills itself from it. The real clusters come with the nodes.
class DemoCommandTest {
    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();

    @Test
    void aGoodDemoEndsWithZeroAndAPage() throws IOException {
        Path page = folder.resolve("page.html");
        assertThat(run(true, "--html", page.toString())).isZero();
        assertThat(out.toString()).contains("cold", "warm", "Every digest is right");
        assertThat(page).content().contains("<svg", "Every digest right");
    }

    @Test
    void aProxyThatKeepsNothingIsFoundOut() throws IOException {
        assertThat(run(false, "--html", folder.resolve("page.html").toString())).isEqualTo(1);
        assertThat(out.toString()).contains("took 1 backend GETs, not 0");
    }

    @Test
    void jsonAloneGoesToStandardOutput() throws IOException {
        assertThat(run(true, "--json", "--html", folder.resolve("page.html").toString()))
                .isZero();
        assertThat(out.toString()).startsWith("{").endsWith("}\n");
    }

    @Test
    void nonsenseIsAUsageError() throws IOException {
        assertThat(run(true, "--workers", "0")).isEqualTo(2);
    }

    private int run(boolean keeps, String... arguments) throws IOException {
        var command = new CommandLine(new DemoCommand((_, _) -> new Folders(folder, keeps)));
        command.setOut(new PrintWriter(out));
        command.setErr(new PrintWriter(new StringWriter()));
        var small = new String[] {"--shards", "3", "--samples-per-shard", "5", "--workers", "2"};
        var all = new String[small.length + arguments.length];
        System.arraycopy(small, 0, all, 0, small.length);
        System.arraycopy(arguments, 0, all, small.length, arguments.length);
        return command.execute(all);
    }

    private static final class Folders implements DemoClusters {
        private final FolderStore cloud;
        private final FolderStore cache;
        private final HttpServer server;
        private final ShapedCloud shaped;
        private final boolean keeps;

        Folders(Path folder, boolean keeps) throws IOException {
            this.cloud = new FolderStore(folder.resolve("cloud"));
            this.cache = new FolderStore(folder.resolve("cache"));
            this.keeps = keeps;
            this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            server.createContext("/bucket/", this::answer);
            server.start();
            this.shaped = ShapedCloud.before(server.getAddress(), Optional.empty(), Duration.ofMillis(2), 1 << 30);
        }

        @Override
        public ShardStore cloud() {
            return cloud;
        }

        @Override
        public ShardStore proxy() {
            return new ShardStore() {
                @Override
                public void createBucket() throws IOException {
                    cache.createBucket();
                }

                @Override
                public void put(String key, Path file) throws IOException {
                    cache.put(key, file);
                }

                @Override
                public InputStream open(String key) throws IOException {
                    if (!keeps || !Files.exists(cache.folder().resolve(key))) {
                        try (var far = URI.create("http://127.0.0.1:" + shaped.port() + "/bucket/" + key)
                                .toURL()
                                .openStream()) {
                            Files.write(cache.folder().resolve(key), far.readAllBytes());
                        }
                    }
                    return cache.open(key);
                }

                @Override
                public List<String> list() throws IOException {
                    return cloud.list();
                }
            };
        }

        @Override
        public Traffic traffic() {
            return shaped.traffic();
        }

        @Override
        public String description() {
            return "a folder 2 ms away";
        }

        @Override
        public void close() throws IOException {
            shaped.close();
            server.stop(0);
        }

        private void answer(HttpExchange exchange) throws IOException {
            try (exchange) {
                byte[] bytes = Files.readAllBytes(cloud.folder()
                        .resolve(exchange.getRequestURI().getPath().substring("/bucket/".length())));
                exchange.sendResponseHeaders(200, bytes.length);
                exchange.getResponseBody().write(bytes);
            }
        }
    }
}
