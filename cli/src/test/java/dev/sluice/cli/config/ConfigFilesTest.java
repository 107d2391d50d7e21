package dev.sluice.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.backend.access.BackendRules;
import dev.sluice.cli.config.value.ByteSize;
import dev.sluice.cli.config.value.FileMode;
import dev.sluice.cli.config.value.TimeSpan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ConfigFilesTest {
    private static final String LEAST = """
            [node]
            id = "target001"
            role = "target"
            listen = "127.0.0.1:8180"
            [drives]
            paths = ["/d1"]
            [[cluster.nodes]]
            id = "target001"
            role = "target"
            url = "http://127.0.0.1:8180"
            [auth]
            access_key = "a"
            secret_key = "s"
            cluster_key = "c"
            """;
    private static final String EVERYTHING = """
            [node]
            id = "proxy-xyz"
            role = "proxy"
            listen = "[::1]:9000"
            url = "https://front.example:9000"
            zone = "rack-7"
            [drives]
            lost = ["d0123"]
            [[cluster.nodes]]
            id = "proxy-xyz"
            role = "proxy"
            url = "https://front.example:9000"
            [[cluster.nodes]]
            id = "target-b"
            role = "target"
            url = "http://10.0.0.2:9100"
            [auth]
            enabled = false
            access_key = "AK"
            secret_key = "SK"
            cluster_key = "CK"
            region = "*"
            insecure = true
            [limits]
            connections = 11
            body_memory = "13MiB"
            header_size = "14KiB"
            backend_requests = 16
            backend_rate = 36
            object_size = "15MiB"
            lifecycle_interval = "7m"
            lifecycle_day = "8s"
            [backends]
            allow = ["https://*.example.com"]
            [backends.lab]
            type = "s3"
            endpoint = "https://minio.example.com:9000"
            region = "eu-1"
            profile = "lab-profile"
            [backends.lab-keys]
            type = "s3"
            access_key = "BAK"
            secret_key = "BSK"
            [backends.sets]
            type = "gs"
            credentials_file = "/etc/sluice/gcs.json"
            [backends.public]
            type = "gs"
            anonymous = true
            [backends.own]
            type = "s3"
            default_chain = true
            [storage]
            reserve = "17MiB"
            high_watermark = 80
            low_watermark = 70
            drive_threads = 18
            block_cache = "19MiB"
            write_buffers = "20MiB"
            open_file_cache = 22
            memory_cache = "21MiB"
            checksum_recheck_interval = "23m"
            scrub_period = "32m"
            scrub_rate = 33
            resilver_rate = 34
            health_check_interval = "35s"
            file_mode = "0640"
            encrypted = true
            [http]
            event_loops = 24
            idle_timeout = "25s"
            slow_client_timeout = "26s"
            drain_timeout = "27ms"
            small_object_threshold = "28KiB"
            redirect_token_life = "29s"
            base_domain = "s3.example.com, s3.internal"
            tls_certificate = "/c.pem"
            tls_key = "/k.pem"
            [log]
            level = "debug"
            path = "/var/log/sluice.log"
            file_size = "30MiB"
            files = 31
            access_log = "/var/log/access.json"
            """;

    private static final BackendsConfig BACKENDS = new BackendsConfig(
            Optional.of(List.of("https://*.example.com")),
            Map.of(
                    "lab",
                    new BackendConfig(
                            "s3", "https://minio.example.com:9000", "eu-1", "lab-profile", "", "", "", false, false),
                    "lab-keys",
                    new BackendConfig("s3", "", "", "", "BAK", "BSK", "", false, false),
                    "sets",
                    new BackendConfig("gs", "", "", "", "", "", "/etc/sluice/gcs.json", false, false),
                    "public",
                    new BackendConfig("gs", "", "", "", "", "", "", true, false),
                    "own",
                    new BackendConfig("s3", "", "", "", "", "", "", false, true)));

    private static NodeConfig node(String toml) {
        return ConfigFiles.node(toml, "node.toml", Map.of());
    }

    @Test
    void whatANodesFileLeavesOutHasItsDefault() {
        var config = node(LEAST);
        assertThat(config.node())
                .isEqualTo(new NodeConfig.Node(
                        "target001", NodeRole.TARGET, "127.0.0.1:8180", "http://127.0.0.1:8180", ""));
        assertThat(config.drives().folders()).containsExactly(Path.of("/d1"));
        assertThat(config.auth()).isEqualTo(new AuthConfig(true, "a", "s", "c", "us-east-1", false));
        assertThat(config.limits()).isEqualTo(LimitsConfig.DEFAULTS);
        assertThat(config.backends()).isEqualTo(BackendsConfig.DEFAULTS);
        assertThat(config.backends().rules()).isEqualTo(new BackendRules(new TreeMap<>(), List.of()));
        assertThat(config.storage()).isEqualTo(StorageConfig.DEFAULTS);
        assertThat(config.http()).isEqualTo(HttpConfig.DEFAULTS);
        assertThat(config.log()).isEqualTo(LogConfig.DEFAULTS);
    }

    @Test
    void everyKeyOfANodesFileIsTaken() {
        assertThat(node(EVERYTHING))
                .isEqualTo(new NodeConfig(
                        new NodeConfig.Node(
                                "proxy-xyz", NodeRole.PROXY, "[::1]:9000", "https://front.example:9000", "rack-7"),
                        new NodeConfig.Drives(List.of(), List.of("d0123")),
                        new NodeConfig.Cluster(List.of(
                                new NodeConfig.Member("proxy-xyz", NodeRole.PROXY, "https://front.example:9000"),
                                new NodeConfig.Member("target-b", NodeRole.TARGET, "http://10.0.0.2:9100"))),
                        new AuthConfig(false, "AK", "SK", "CK", "*", true),
                        new LimitsConfig(
                                11,
                                mebibytes(13),
                                kibibytes(14),
                                16,
                                36,
                                mebibytes(15),
                                TimeSpan.parse("7m"),
                                TimeSpan.parse("8s")),
                        BACKENDS,
                        new StorageConfig(
                                mebibytes(17),
                                80,
                                70,
                                18,
                                mebibytes(19),
                                mebibytes(20),
                                22,
                                mebibytes(21),
                                new TimeSpan(Duration.ofMinutes(23)),
                                new TimeSpan(Duration.ofMinutes(32)),
                                33,
                                34,
                                new TimeSpan(Duration.ofSeconds(35)),
                                new FileMode(0640),
                                true),
                        new HttpConfig(
                                24,
                                new TimeSpan(Duration.ofSeconds(25)),
                                new TimeSpan(Duration.ofSeconds(26)),
                                new TimeSpan(Duration.ofMillis(27)),
                                kibibytes(28),
                                new TimeSpan(Duration.ofSeconds(29)),
                                "s3.example.com, s3.internal",
                                "/c.pem",
                                "/k.pem"),
                        new LogConfig(
                                LogConfig.Level.DEBUG,
                                "/var/log/sluice.log",
                                mebibytes(30),
                                31,
                                "/var/log/access.json")));
    }

    /// So that `everyKeyOfANodesFileIsTaken` cannot forget a key that is added later.
    @Test
    void theFullFileNamesEveryKey() {
        var defaults = ConfigFiles.render(NodeConfig.DEFAULTS);
        var keys = defaults.lines().filter(line -> line.contains(" = ")).map(line -> line.replaceFirst(" = .*", ""));
        assertThat(keys.filter(key -> !key.equals("paths") && !key.equals("nodes")))
                .isNotEmpty()
                .allSatisfy(key -> assertThat(EVERYTHING).contains("\n" + key + " = "));
    }

    @Test
    void aRenderedNodeIsReadBackTheSame() {
        var config = node(EVERYTHING);
        assertThat(node(ConfigFiles.render(config))).isEqualTo(config);
    }

    @Test
    void whatABackendLeavesOutHasItsDefaultAndSecretsAreNotShown() {
        var config = node(LEAST + "[backends.lab]\ntype = \"s3\"\naccess_key = \"k\"\nsecret_key = \"hidden\"\n");
        assertThat(config.backends().named().keySet()).containsExactly("lab");
        assertThat(config.backends().rules().allow()).isEmpty();
        assertThat(config.backends().toString()).contains("lab").doesNotContain("hidden");
    }

    @Test
    void environmentFillsWhatTheFileLeavesOutOfTheNode() {
        var environment = Map.of(
                "SLUICE_NODE_ID", "target009",
                "SLUICE_NODE_URL", "http://target009:8180",
                "SLUICE_NODE_LISTEN", "127.0.0.9:8180",
                "SLUICE_NODE_ZONE", " rack-9\n");
        var nameless = LEAST.replace("id = \"target001\"\nrole = \"target\"\nlisten = \"127.0.0.1:8180\"", "");
        assertThat(nameless).isNotEqualTo(LEAST);
        assertThat(ConfigFiles.node(nameless, "node.toml", environment).node())
                .isEqualTo(new NodeConfig.Node(
                        "target009", NodeRole.TARGET, "127.0.0.9:8180", "http://target009:8180", "rack-9"));
        assertThat(ConfigFiles.node(LEAST, "node.toml", environment).node().id())
                .as("what the file says")
                .isEqualTo("target001");
    }

    @Test
    void keysOfTheEnvironmentWin() {
        var environment =
                Map.of("SLUICE_ACCESS_KEY", "env-a", "SLUICE_SECRET_KEY", "env-s", "SLUICE_CLUSTER_KEY", "env-c");
        assertThat(ConfigFiles.node(LEAST, "node.toml", environment).auth())
                .isEqualTo(new AuthConfig(true, "env-a", "env-s", "env-c", "us-east-1", false));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    [nod]~id = "x"                    | unknown key 'nod'
                    [http]~idle_timout = "3s"         | unknown key 'http.idle_timout'
                    [limits]~connections = "many"     | limits.connections must be a whole number, not "many"
                    [limits]~connections = 1.5        | limits.connections must be a whole number, not 1.5
                    [limits]~connections = 99999999999 | limits.connections must be a whole number
                    [limits]~connections = 0          | limits.connections must be 1 or more, not 0
                    [auth]~enabled = "yes"            | auth.enabled must be true or false
                    [auth]~region = 1                 | auth.region must be a text in quotes
                    drives = 3                        | drives must be a table
                    [drives]~paths = "/d"             | drives.paths must be a list
                    [drives]~paths = [1]              | drives.paths must be a text in quotes
                    [backends]~allow = "*"            | backends.allow must be a list
                    [backends]~allow = ["minio:9000"] | backends.allow: 'minio:9000' must be "*" or an endpoint
                    [backends]~alow = ["*"]           | backends.alow must be a table
                    [backends.lab]~tpye = "s3"        | unknown key 'backends.lab.tpye'; known here: [type, endpoint
                    [backends.lab]~profile = "p"      | backends.lab: type must be "s3" or "gs", not ""
                    [backends.lab]~type = "s3"        | backends.lab: give one of profile, access_key with secret_key
                    [backends.a]~type = "s3"~profile = "p"~anonymous = true | backends.a: give one of profile
                    [backends.a]~type = "s3"~access_key = "k" | backends.a: access_key and secret_key are given together
                    [backends.a]~type = "s3"~anonymous = "yes" | backends.a.anonymous must be true or false
                    [backends.a]~type = "gs"~profile = "p" | backends.a: its credentials need type = "s3"
                    [backends.a]~type = "gs"~credentials_file = "g.json" | backends.a: credentials_file must be an absolute
                    [backends.a]~type = "s3"~endpoint = "minio"~profile = "p" | backends.a: 'minio' is no endpoint
                    [backends.a]~type = "s3"~endpoint = "http://169.254.169.254"~profile = "p" | is a link-local address
                    [backends.a]~type = "s3"~region = "eu/1"~profile = "p" | backends.a: 'eu/1' is no region
                    [backends."a b"]~type = "s3"~profile = "p" | backends.'a b': a name has 1 to 64
                    [storage]~reserve = "1 Gigabyte"  | storage.reserve: '1 Gigabyte' is not a size
                    [storage]~high_watermark = 101    | storage.high_watermark must be 86 to 100, not 101
                    [storage]~low_watermark = 90      | storage.high_watermark must be 91 to 100, not 90
                    [storage]~low_watermark = 0       | storage.low_watermark must be 1 to 99, not 0
                    [storage]~health_check_interval = "1ms" | storage.health_check_interval must be 100ms to 10m, not 1ms
                    [storage]~file_mode = "0777"      | storage.file_mode: '0777' is not one of "0600", "0640"
                    [storage]~file_mode = "0660"      | storage.file_mode: '0660' is not one of
                    [storage]~file_mode = "rw-r--r--" | storage.file_mode: 'rw-r--r--' is not one of
                    [storage]~file_mode = 640         | storage.file_mode must be a text in quotes, not 640
                    [storage]~durability = "os"       | unknown key 'storage.durability'
                    [storage]~hot_bytes = "1MiB"      | unknown key 'storage.hot_bytes'
                    [storage]~hot_files = 4096        | the key 'storage.hot_files' is called 'storage.open_file_cache' now
                    [storage]~hot_memory = "1MiB"     | is called 'storage.memory_cache' now: rename it
                    [storage]~verified_for = "1h"     | is called 'storage.checksum_recheck_interval' now: rename it
                    [http]~copy_below = "32KiB"       | is called 'http.small_object_threshold' now: rename it
                    [limits]~body_memory = "4KiB"     | limits.body_memory must be 0 or at least 1MiB, not 4KiB
                    [limits]~object_size = "5121GiB"  | limits.object_size must be at most 5TiB, not 5121GiB
                    [limits]~requests = 1             | unknown key 'limits.requests'
                    [limits]~object_bytes = "1GiB"    | unknown key 'limits.object_bytes'
                    [http]~route = "auto"             | unknown key 'http.route'
                    [http]~idle_timeout = "soon"      | http.idle_timeout: 'soon' is not a time
                    [http]~tls_key = "/k"             | http.tls_certificate and http.tls_key
                    [log]~level = "loud"              | log.level must be one of
                    [[cluster.nodes]]~idd = "x"       | unknown key 'cluster.nodes.idd'
                    [[cluster.nodes]]~id = "target001" | cluster.nodes.role is missing
                    [node~                            | line 1: not TOML
                    """)
    void aWrongSettingIsNamed(String toml, String reason) {
        assertThatThrownBy(() -> node(toml.replace('~', '\n')))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("node.toml")
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    id = "target001"~role | id = "t"~role       | id: node id 't' is not
                    127.0.0.1:8180"~[d    | 127.0.0.1"~[d       | node.listen must be host:port
                    paths = ["/d1"]       | paths = []          | drives.paths is missing
                    paths = ["/d1"]       | paths = ["/a","/a"] | names a folder twice
                    access_key = "a"      | access_key = ""     | auth.access_key is missing
                    cluster_key = "c"     | cluster_key = ""    | auth.cluster_key is missing
                    url = "http           | url = "ftp          | cluster.nodes.url must be a URL
                    """)
    void aNodeThatCannotBeIsRefused(String part, String changed, String reason) {
        var toml = LEAST.replace(part.replace('~', '\n'), changed.replace('~', '\n'));
        assertThat(toml).isNotEqualTo(LEAST);
        assertThatThrownBy(() -> node(toml)).isInstanceOf(ConfigException.class).hasMessageContaining(reason);
    }

    @Test
    void baseDomainsAreSeparatedByCommas() {
        assertThat(node(LEAST).http().baseDomains()).isEmpty();
        assertThat(node(LEAST + "[http]\nbase_domain = \"s3.example.com\"")
                        .http()
                        .baseDomains())
                .containsExactly("s3.example.com");
        assertThat(node(LEAST + "[http]\nbase_domain = \"s3.example.com, S3.internal\"")
                        .http()
                        .baseDomains())
                .containsExactly("s3.example.com", "S3.internal");
        for (var wrong : List.of("a,", ",a", "*.a", "a b", "http://a", ".a", "a:80")) {
            assertThatThrownBy(() -> node(LEAST + "[http]\nbase_domain = \"" + wrong + "\""))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("http.base_domain must be names of hosts");
        }
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> ConfigFiles.cluster(Path.of("/none/sluice.toml")))
                .isInstanceOf(ConfigException.class)
                .hasMessage("/none/sluice.toml: no such file");
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, true, '', ''",
        "'[::1]', false, '', ''",
        "localhost, false, '', ''",
        "10.0.0.1, true, tls, ''",
        "10.0.0.1, true, '', there is no TLS",
        "0.0.0.0, true, '', there is no TLS",
        "'[::]', true, '', there is no TLS",
        "no-such-host.invalid, true, '', there is no TLS",
        "10.0.0.1, false, tls, everybody who reaches it reads and writes",
        "10.0.0.1, false, '', everybody who reaches it reads and writes",
    })
    void offLoopbackANodeWantsTlsAndAuthenticationUnlessItIsSaidToBeInsecure(
            String host, boolean auth, String tls, String reason) {
        var toml = LEAST.replace("127.0.0.1:8180", host + ":8180").replace("[auth]", "[auth]\nenabled = " + auth)
                + (tls.isEmpty() ? "" : "\n[http]\ntls_certificate = \"c\"\ntls_key = \"k\"\n");
        if (reason.isEmpty()) {
            assertThat(node(toml).auth().enabled()).isEqualTo(auth);
        } else {
            assertThatThrownBy(() -> node(toml))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining(reason)
                    .hasMessageContaining("auth.insecure = true");
        }
        assertThat(node(toml.replace("[auth]", "[auth]\ninsecure = true"))
                        .auth()
                        .insecure())
                .isTrue();
    }

    @Test
    void theExamplesOfTheTreeAreRightOnceTheyHaveKeys() throws IOException {
        var examples = Path.of("../deploy/examples");
        for (var name : List.of("proxy.toml", "target.toml")) {
            var example = Files.readString(examples.resolve(name));
            assertThatThrownBy(() -> node(example))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("auth.access_key is the example's");
            assertThatThrownBy(() -> node(example.replaceFirst("replace-me\"", "AK\"")))
                    .hasMessageContaining("auth.secret_key is the example's");
            assertThatThrownBy(() ->
                            node(example.replaceFirst("replace-me\"", "AK\"").replace("replace-me-too", "SK")))
                    .hasMessageContaining("auth.cluster_key is the example's");
            var config = node(example.replace("replace-me", "my"));
            assertThat(config.node().role()).isEqualTo(name.equals("proxy.toml") ? NodeRole.PROXY : NodeRole.TARGET);
            assertThat(config.drives().paths()).hasSize(name.equals("proxy.toml") ? 0 : 2);
        }
        assertThat(ConfigFiles.cluster(examples.resolve("sluice.toml"))).isEqualTo(ClusterConfig.DEFAULTS);
    }

    @Test
    void nodesOfTheComposeFileAcceptTheirSettings() {
        for (var id : List.of("proxy001", "target001")) {
            var file = Path.of("../deploy/docker/%s.toml".formatted(id.replace("001", "")));
            var environment = Map.of(
                    "SLUICE_NODE_ID",
                    id,
                    "SLUICE_NODE_URL",
                    "http://%s:8080".formatted(id),
                    "SLUICE_ACCESS_KEY",
                    "AK",
                    "SLUICE_SECRET_KEY",
                    "SK");
            assertThat(ConfigFiles.node(file, environment).backends().named()).containsOnlyKeys("minio");
        }
    }

    private static ByteSize mebibytes(long count) {
        return new ByteSize(count << 20);
    }

    private static ByteSize kibibytes(long count) {
        return new ByteSize(count << 10);
    }
}
