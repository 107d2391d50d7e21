package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.cli.config.ConfigFiles;
import dev.sluice.cli.config.NodeConfig;
import dev.sluice.cli.config.NodeRole;
import dev.sluice.deploy.harness.ClusterObjects;
import dev.sluice.deploy.harness.HelmChart;
import dev.sluice.deploy.harness.PodEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The Helm chart, without a Kubernetes: its documents fit Kubernetes' schemas, nodes start with the settings and
/// environments that it gives, and what would break a cluster is refused with a reason.
@Tag("long")
@Tag("peers")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class HelmChartTest {
    private static final String FOUNDED = """
            {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"sluice-founded","namespace":"storage"},
             "data":{"targets":"sluice-target-0 sluice-target-1 sluice-target-2","drivesPerTarget":"1"}}""";

    @TempDir
    private Path folder;

    private HelmChart chart;

    @BeforeEach
    void findPeers() {
        chart = new HelmChart(folder);
    }

    @ParameterizedTest
    @ValueSource(strings = {"defaults", "tls", "zones", "drives", "secrets"})
    void chartPassesLintAndKubernetesSchemas(String values) throws IOException {
        chart.lint(chart.values(values)).orFail("");
        assertThat(chart.rendered(chart.values(values)).of("StatefulSet")).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"defaults", "tls", "zones", "drives", "secrets"})
    void nodesReadTheirSettingsAndKnowEachOther(String values) throws IOException {
        var documents = chart.rendered(chart.values(values));
        var settings = documents.one("ConfigMap", "sluice-settings");
        var targets = new TreeMap<String, NodeConfig>();
        for (var set : documents.of("StatefulSet")) {
            for (int i = 0; i < set.at("/spec/replicas").asInt(); i++) {
                var config = config(set, settings, i);
                assertUrlIsItsPods(set, i, config, documents);
                assertThat(config.auth().clusterKey()).isEqualTo("cluster-key");
                if (config.node().role() == NodeRole.TARGET) {
                    targets.put(config.node().id(), config);
                }
            }
        }
        assertThat(targets).hasSizeGreaterThan(2);
        var proxy = config(documents.one("StatefulSet", "sluice-proxy"), settings, 0);
        for (var config :
                Stream.concat(targets.values().stream(), Stream.of(proxy)).toList()) {
            assertThat(config.cluster().nodes())
                    .as("the members that %s knows", config.node().id())
                    .containsExactlyInAnyOrderElementsOf(targets.values().stream()
                            .map(each -> new NodeConfig.Member(
                                    each.node().id(),
                                    NodeRole.TARGET,
                                    each.node().url()))
                            .toList());
        }
    }

    /// What the pod of this number reads at its start.
    private NodeConfig config(JsonNode set, JsonNode settings, int ordinal) throws IOException {
        var arguments = set.at("/spec/template/spec/containers/0/args");
        var name = Path.of(arguments.get(2).asText()).getFileName().toString();
        var file = folder.resolve(name);
        Files.writeString(file, settings.at("/data").path(name).asText());
        var config = ConfigFiles.node(file, PodEnvironment.of(set, ordinal));
        assertThat(arguments.get(0).asText()).isEqualTo(config.node().role().toString());
        assertMounted(set, config);
        return config;
    }

    /// Each drive is a volume of its own, and files that the settings name are in a volume.
    private static void assertMounted(JsonNode set, NodeConfig config) {
        var claims = new TreeSet<String>();
        set.at("/spec/volumeClaimTemplates")
                .forEach(each -> claims.add(each.at("/metadata/name").asText()));
        var drives = new ArrayList<String>();
        var mounts = new ArrayList<String>();
        for (var mount : set.at("/spec/template/spec/containers/0/volumeMounts")) {
            var path = mount.path("mountPath").asText();
            (claims.contains(mount.path("name").asText()) ? drives : mounts).add(path);
        }
        assertThat(drives).isEqualTo(config.drives().paths());
        assertThat(claims).hasSameSizeAs(drives);
        var files = new ArrayList<>(
                List.of(config.http().tlsCertificate(), config.http().tlsKey()));
        if (config.node().role() == NodeRole.TARGET) {
            config.backends().named().values().forEach(each -> files.add(each.credentialsFile()));
        }
        assertThat(files)
                .filteredOn(file -> !file.isEmpty())
                .allMatch(
                        file -> mounts.stream().anyMatch(mount -> Path.of(file).startsWith(mount)));
    }

    /// A pod's name is below the headless Service of its StatefulSet.
    private static void assertUrlIsItsPods(
            JsonNode set, int ordinal, NodeConfig config, HelmChart.Documents documents) {
        var service = documents.one("Service", set.at("/spec/serviceName").asText());
        assertThat(service.at("/spec/clusterIP").asText()).isEqualTo("None");
        var labels = set.at("/spec/template/metadata/labels");
        service.at("/spec/selector")
                .properties()
                .forEach(each -> assertThat(labels.get(each.getKey())).isEqualTo(each.getValue()));
        assertThat(config.node().url())
                .isEqualTo("%s://%s.%s.storage.svc.cluster.local:8080"
                        .formatted(
                                config.http().tls() ? "https" : "http",
                                PodEnvironment.podName(set, ordinal),
                                service.at("/metadata/name").asText()));
    }

    /// What keeps data, and what a namespace with the standard `restricted` asks.
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            StatefulSet         | sluice-target  | /spec/persistentVolumeClaimRetentionPolicy/whenDeleted | Retain
            StatefulSet         | sluice-target  | /spec/persistentVolumeClaimRetentionPolicy/whenScaled  | Retain
            StatefulSet         | sluice-target  | /spec/podManagementPolicy                              | Parallel
            Service             | sluice-targets | /spec/publishNotReadyAddresses                         | true
            PodDisruptionBudget | sluice-targets | /spec/maxUnavailable                                   | 1
            StatefulSet         | sluice-target  | POD/terminationGracePeriodSeconds                      | 60
            StatefulSet         | sluice-target  | CONTAINER/readinessProbe/httpGet/path                  | /health/ready
            StatefulSet         | sluice-target  | CONTAINER/livenessProbe/httpGet/path                   | /health
            StatefulSet         | sluice-target  | CONTAINER/startupProbe/httpGet/path                    | /health
            StatefulSet         | sluice-target  | POD/securityContext/runAsNonRoot                       | true
            StatefulSet         | sluice-target  | POD/securityContext/fsGroupChangePolicy                | OnRootMismatch
            StatefulSet         | sluice-target  | POD/securityContext/seccompProfile/type                | RuntimeDefault
            StatefulSet         | sluice-target  | CONTAINER/securityContext/readOnlyRootFilesystem       | true
            StatefulSet         | sluice-target  | CONTAINER/securityContext/allowPrivilegeEscalation     | false
            StatefulSet         | sluice-target  | CONTAINER/securityContext/capabilities/drop/0          | ALL
            Secret              | sluice-keys    | /metadata/annotations/helm.sh~1resource-policy         | keep
            ConfigMap           | sluice-founded | /metadata/annotations/helm.sh~1resource-policy         | keep
            ConfigMap           | sluice-founded | /data/targets | sluice-target-0 sluice-target-1 sluice-target-2
            """)
    void documentKeepsData(String kind, String name, String pointer, String value) throws IOException {
        var path =
                pointer.replace("POD", "/spec/template/spec").replace("CONTAINER", "/spec/template/spec/containers/0");
        assertThat(chart.rendered().one(kind, name).at(path).asText()).isEqualTo(value);
    }

    @Test
    void controllersAreInDifferentZones() throws IOException {
        var documents = chart.rendered(chart.values("zones"));
        var settings = documents.one("ConfigMap", "sluice-settings");
        var zones = new TreeMap<String, String>();
        for (var set : documents.of("StatefulSet")) {
            for (int i = 0; i < set.at("/spec/replicas").asInt(); i++) {
                var node = config(set, settings, i).node();
                if (node.role() == NodeRole.TARGET) {
                    zones.put(node.id(), node.zone());
                    assertThat(set.at("/spec/template/spec/affinity/nodeAffinity")
                                    .toString())
                            .contains(node.zone());
                }
            }
        }
        assertThat(zones).hasSize(6);
        assertThat(zones.values().stream().limit(3)).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            targets.count=0                          | /targets/count': minimum: got 0, want 1
            targets.count=4,targets.zones={a,b,c}    | targets.count is 4, which is not a multiple of the 3 zones
            targets.zones={a,a,b}                    | /targets/zones': items at 0 and 1 are equal
            targets.founded=3,targets.count=5        | the number of targets cannot change yet
            targets.drive.size=much                  | /targets/drive/size': 'much' does not match pattern
            targets.drives=2                         | additional properties 'drives' not allowed
            targets.updateStrategy=Now               | /targets/updateStrategy': value must be one of '', 'RollingUpdate', 'OnDelete'
            targets.count=3,targets.zones={a,b,c},targets.updateStrategy=RollingUpdate | restart a target of each zone at the same time
            proxies.replicas=two                     | /proxies/replicas': got string, want integer
            service.type=ExternalName                | /service/type': value must be one of
            image.repository=                        | /image/repository': minLength: got 0, want 1
            backends.lab.type=azure                  | /backends/lab/type': value must be one of 's3', 'gs'
            backends.lab.type=s3,backends.lab.secret_key=x | additional properties 'secret_key' not allowed
            settings.http.tls_key=/x                 | settings.http.tls_key: name the Secret with the certificate in tls.existingSecret
            settings.auth.cluster_key=x              | additional properties 'cluster_key' not allowed
            fullnameOverride=9lives                  | the name "9lives" cannot begin the names of Services
            """)
    void wrongValuesAreRefusedWithAReason(String values, String reason) {
        var refused = chart.template("--set", values);
        assertThat(refused.exit()).as(refused.outText()).isNotZero();
        assertThat(refused.err()).contains(reason);
    }

    @ParameterizedTest
    @CsvSource({
        "targets.count=5",
        "targets.count=2",
        "'targets.zones={a,b,c}'",
        "fullnameOverride=other",
        "fullnameOverride=sluice"
    })
    void otherTargetsThanAtTheFirstInstallationAreRefused(String values) throws IOException {
        try (var cluster = ClusterObjects.serving(Map.of("configmaps/sluice-founded", FOUNDED))) {
            var answer = chart.template(Stream.concat(Stream.of("--set", values), Stream.of(cluster.options()))
                    .toArray(String[]::new));
            if (values.equals("fullnameOverride=sluice")) {
                answer.orFail("the same targets");
            } else {
                assertThat(answer.exit()).as(answer.outText()).isNotZero();
                assertThat(answer.err())
                        .contains("the cluster was made with the targets \"sluice-target-0")
                        .contains("cannot change yet");
            }
        }
    }

    @Test
    void otherDrivesThanAtTheFirstInstallationAreRefused() throws IOException {
        try (var cluster = ClusterObjects.serving(Map.of("configmaps/sluice-founded", FOUNDED))) {
            var values = Stream.of("--set", "targets.drivesPerTarget=2");
            var answer = chart.template(
                    Stream.concat(values, Stream.of(cluster.options())).toArray(String[]::new));
            assertThat(answer.exit()).as(answer.outText()).isNotZero();
            assertThat(answer.err()).contains("made with 1 drives for each target, but these values ask for 2");
        }
    }

    @Test
    void keysAreMadeOnceAndKeptByAnUpgrade() throws IOException {
        var made = chart.rendered().one("Secret", "sluice-keys");
        var others = chart.rendered().one("Secret", "sluice-keys");
        assertThat(StreamSupport.stream(made.path("data").spliterator(), false))
                .hasSize(3)
                .doesNotContainAnyElementsOf(others.path("data"));
        try (var cluster = ClusterObjects.serving(Map.of("secrets/sluice-keys", made.toString()))) {
            assertThat(chart.rendered(cluster.options()).one("Secret", "sluice-keys"))
                    .isEqualTo(made);
        }
    }
}
