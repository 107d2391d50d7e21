package dev.sluice.backend.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.backend.BackendAddress;
import dev.sluice.common.cluster.BackendSpec;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BackendRulesTest {
    private static final BackendCredentials KEYS = new BackendCredentials.Keys("AKLAB", "the secret");
    private static final BackendCredentials FILE =
            new BackendCredentials.CredentialsFile(Path.of("/etc/sluice/gcs.json"));
    private static final NamedBackend LAB = new NamedBackend(
            BackendAddress.Provider.S3, Optional.of(URI.create("https://minio.lab:9000")), Optional.of("eu-1"), KEYS);
    private static final NamedBackend SETS =
            new NamedBackend(BackendAddress.Provider.GS, Optional.empty(), Optional.empty(), FILE);

    private static BackendRules rules(String... allow) {
        return rules(Map.of("lab", LAB, "sets", SETS), allow);
    }

    private static BackendRules rules(Map<String, NamedBackend> named, String... allow) {
        return new BackendRules(
                new TreeMap<>(named),
                Stream.of(allow).map(EndpointPattern::parse).toList());
    }

    private static BackendSpec given(String url, String endpoint, String profile) {
        return new BackendSpec(url, Optional.empty(), present(endpoint), Optional.empty(), present(profile));
    }

    private static Optional<String> present(String text) {
        return Optional.of(text).filter(given -> !given.equals("-"));
    }

    @Test
    void aBucketViaANameHasItsEndpointRegionAndCredentials() {
        var lab = rules().connection(BackendSpec.via("s3://imagenet/train/", "lab"));
        assertThat(lab.credentials()).isEqualTo(KEYS);
        assertThat(lab.address().endpoint()).contains(URI.create("https://minio.lab:9000"));
        assertThat(lab.address().region()).contains("eu-1");
        assertThat(lab.address().prefix()).isEqualTo("train/");
        var own =
                new BackendSpec("s3://b", Optional.of("lab"), Optional.empty(), Optional.of("eu-2"), Optional.empty());
        assertThat(rules().connection(own).address().region()).contains("eu-2");
        var sets = rules().connection(BackendSpec.via("gs://sets", "sets"));
        assertThat(sets.credentials()).isEqualTo(FILE);
        assertThat(sets.address().endpoint()).isEmpty();
    }

    @Test
    void aBucketViaANameHasNoEndpointOrProfileOfItsOwn() {
        for (var spec : List.of(
                new BackendSpec(
                        "s3://b",
                        Optional.of("lab"),
                        Optional.of("https://evil.example"),
                        Optional.empty(),
                        Optional.empty()),
                new BackendSpec(
                        "s3://b", Optional.of("lab"), Optional.empty(), Optional.empty(), Optional.of("other")))) {
            assertThatThrownBy(() -> rules("*").connection(spec))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("none of its own");
        }
    }

    @Test
    void anUnknownNameOrAnotherTypeIsRefusedByName() {
        assertThatThrownBy(() -> rules().connection(BackendSpec.via("s3://b", "laboratory")))
                .hasMessage("the configuration has no [backends.laboratory]; it has [lab, sets]");
        assertThatThrownBy(() -> rules().connection(BackendSpec.via("s3://b", "sets")))
                .hasMessage("[backends.sets] has type = \"gs\", which does not serve s3://b");
    }

    @ParameterizedTest
    @CsvSource({
        "s3://b, https://evil.example, lab",
        "s3://b, https://evil.example, anonymous",
        "s3://b, http://minio.lab:9000, lab",
        "s3://b, https://minio.lab, lab",
        "s3://b, https://minio.lab:9000, lab",
        "s3://b, -, lab",
        "gs://b, https://evil.example, anonymous",
    })
    void anEndpointOrProfileOfABucketIsRefusedWhereNothingAllowsIt(String url, String endpoint, String profile) {
        var spec = given(url, endpoint, profile);
        assertThatThrownBy(() -> rules().connection(spec))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("[backends.NAME]")
                .hasMessageContaining("backends.allow");
        assertThat(rules("*").connection(spec).reach()).isEqualTo(Reach.NAMED);
    }

    @ParameterizedTest
    @CsvSource({
        "https://minio.example.com,      https://minio.example.com,      NAMED",
        "https://minio.example.com,      https://MINIO.example.com:443,  NAMED",
        "https://minio.example.com:443/, https://minio.example.com/,     NAMED",
        "https://minio.example.com,      http://minio.example.com,       -",
        "https://minio.example.com,      https://minio.example.com:9000, -",
        "https://minio.example.com,      https://a.minio.example.com,    -",
        "https://*.example.com,          https://minio.example.com,      PUBLIC",
        "https://*.example.com,          https://a.b.example.com,        PUBLIC",
        "https://*.example.com,          https://example.com,            -",
        "https://*.example.com,          https://evilexample.com,        -",
        "https://*.example.com,          https://example.com.evil.com,   -",
        "https://*.example.com,          https://x.example.com:9000,     -",
        "http://[::1]:9000,              http://[::1]:9000,              NAMED",
        "*,                              http://10.0.0.1:9000,           NAMED",
    })
    void aPatternMatchesSchemeHostAndPort(String pattern, String endpoint, String reach) {
        assertThat(EndpointPattern.parse(pattern).reach(URI.create(endpoint)).map(Reach::name))
                .isEqualTo(present(reach));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "minio",
                "minio:9000",
                "ftp://a",
                "https://",
                "https://a*.b",
                "https://u@h",
                "https://h/p",
                "https://h:99999",
                "http://169.254.169.254"
            })
    void whatIsNoPatternIsRefused(String text) {
        assertThatThrownBy(() -> EndpointPattern.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aPatternNamedInFullCountsMoreThanOneWithAStar() {
        var both = rules("https://*.example.com", "https://minio.example.com");
        assertThat(both.connection(given("s3://b", "https://minio.example.com", "p"))
                        .reach())
                .isEqualTo(Reach.NAMED);
        assertThat(both.connection(given("s3://b", "https://other.example.com", "p"))
                        .reach())
                .isEqualTo(Reach.PUBLIC);
    }

    @Test
    void theNodesOwnCredentialsGoToTheCloudsOwnEndpointOnly() {
        for (var url : List.of("s3://b", "gs://b")) {
            var own = rules().connection(BackendSpec.of(url));
            assertThat(own.credentials()).isEqualTo(new BackendCredentials.DefaultChain());
            assertThat(own.address().endpoint()).isEmpty();
            assertThatThrownBy(() -> rules("*").connection(given(url, "https://minio.other", "-")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("has no credentials");
        }
    }

    @Test
    void anEndpointWithoutAProfileHasTheCredentialsThatTheConfigurationHasForIt() {
        var old = given("s3://b", "https://MINIO.lab:9000/", "-");
        assertThat(rules().connection(old).credentials()).isEqualTo(KEYS);
        assertThatThrownBy(() -> rules(Map.of("one", LAB, "two", LAB)).connection(old))
                .hasMessageContaining("one of [one, two]");
        assertThatThrownBy(() -> rules("*").connection(given("gs://b", "https://minio.lab:9000", "-")))
                .hasMessageContaining("has no credentials");
    }

    @Test
    void publicDataAtTheCloudItselfNeedsNoPermission() {
        assertThat(rules().connection(given("gs://public", "-", "anonymous")).credentials())
                .isEqualTo(new BackendCredentials.Anonymous());
    }

    @Test
    void aProfileAtTheCloudItselfIsAllowedByTheCloudsOwnAddress() {
        assertThat(rules("https://s3.amazonaws.com")
                        .connection(given("s3://b", "-", "research"))
                        .credentials())
                .isEqualTo(new BackendCredentials.Profile("research"));
    }

    @Test
    void aFileIsNeverNamedByABucket() {
        for (var path : List.of("/etc/passwd", "credentials.json", "../x")) {
            assertThatThrownBy(() -> rules("*").connection(given("gs://b", "-", path)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("credentials_file of a [backends.NAME]");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://169.254.169.254",
                "http://169.254.170.2",
                "http://[fe80::1]:80",
                "http://[fd00:ec2::254]",
                "http://[::ffff:169.254.169.254]",
                "http://[64:ff9b::a9fe:a9fe]",
                "http://[2002:a9fe:a9fe::1]",
                "http://metadata.google.internal",
                "http://METADATA.google.internal./computeMetadata",
                "http://100.100.100.200",
                "http://168.63.129.16",
                "http://0.0.0.0:9000",
                "http://[::]",
                "http://224.0.0.1",
                "http://255.255.255.255",
                "http://[ff02::1]",
                "ftp://minio",
                "http://user:secret@minio",
                "http://minio?x",
                "http://127.1:9000",
            })
    void noEndpointIsAMetadataServiceOrNoServerAtAll(String endpoint) {
        assertThatThrownBy(() -> rules("*").connection(given("s3://b", endpoint, "anonymous")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new NamedBackend(
                        BackendAddress.Provider.S3, Optional.of(URI.create(endpoint)), Optional.empty(), KEYS))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void noTextHoldsASecret() {
        assertThat(rules().connection(BackendSpec.via("s3://b", "lab")).toString())
                .isEqualTo("s3://b with the access key AKLAB");
        assertThat(LAB.toString()).doesNotContain("the secret");
    }

    @Test
    void aNamedBackendFitsItsCredentials() {
        assertThatThrownBy(() -> new NamedBackend(BackendAddress.Provider.GS, Optional.empty(), Optional.empty(), KEYS))
                .hasMessageContaining("type = \"s3\"");
        assertThatThrownBy(() -> new NamedBackend(BackendAddress.Provider.S3, Optional.empty(), Optional.empty(), FILE))
                .hasMessageContaining("type = \"gs\"");
        assertThatThrownBy(() -> new NamedBackend(
                        BackendAddress.Provider.GS,
                        Optional.empty(),
                        Optional.empty(),
                        new BackendCredentials.CredentialsFile(Path.of("gcs.json"))))
                .hasMessageContaining("absolute");
        assertThatThrownBy(() -> new NamedBackend(
                        BackendAddress.Provider.GS,
                        Optional.of(URI.create("http://storage.example")),
                        Optional.empty(),
                        FILE))
                .hasMessageContaining("https://");
    }
}
