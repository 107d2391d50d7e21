package dev.sluice.cli.demo.live;

import dev.sluice.cli.api.NativeApi;
import dev.sluice.cli.api.NativeApi.Backend;
import dev.sluice.cli.demo.DemoClusters;
import dev.sluice.cli.demo.DemoOptions;
import dev.sluice.cli.demo.cloud.ShapedCloud;
import dev.sluice.cli.demo.dataset.ShardStore;
import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.cli.process.JvmCommand;
import dev.sluice.cli.s3.S3Client;
import dev.sluice.cli.s3.SignedHttp;
import dev.sluice.cli.trust.Trust;
import dev.sluice.common.auth.Credentials;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import javax.net.ssl.SSLSocketFactory;

/// Starts what the demo needs and was not given: a small cluster as the cloud, the shaped door before it, and the
/// cluster whose bucket is filled through that door by the ordinary S3 backend.
public final class LiveStarter implements DemoClusters.Starter {
    private static final String PROFILE = "sluice-demo";
    /// The profile of a backend that wants no signatures.
    private static final String ANONYMOUS = "anonymous";

    private static final LocalSluice.Shape SHOWN = new LocalSluice.Shape(3, 2, true);

    private final JvmCommand jvm;
    private final Map<String, String> environment;
    private final Path temporary;

    /// The cluster that is shown, and the profile by which it reaches the cloud; `own` if the demo started it.
    private record Shown(SignedHttp http, String profile, boolean own) {}

    /// @param temporary where the folder of a demo is made
    public LiveStarter(JvmCommand jvm, Map<String, String> environment, Path temporary) {
        this.jvm = jvm;
        this.environment = Map.copyOf(environment);
        this.temporary = temporary;
    }

    @Override
    public LiveClusters start(DemoOptions.Site site, Consumer<String> progress)
            throws IOException, InterruptedException {
        var opened = new Opened();
        try {
            return start(site, progress, opened);
        } catch (IOException | InterruptedException | RuntimeException failure) {
            closeAfter(failure, opened);
            throw failure;
        }
    }

    private LiveClusters start(DemoOptions.Site site, Consumer<String> progress, Opened opened)
            throws IOException, InterruptedException {
        var folder = PrivateFolder.in(temporary, "sluice-demo-");
        opened.add(folder);
        boolean ownCluster = site.dir().isEmpty() && site.endpoint().isEmpty();
        progress.accept("Starting " + (site.s3().isEmpty() ? "a cloud" : "a traffic shaper before the cloud")
                + (ownCluster ? " and a cluster before it" : ""));
        Cloud cloud = site.s3().isPresent() ? given(site.s3().get()) : own(folder, ownCluster, opened);
        var door = ShapedCloud.before(address(cloud.endpoint()), tls(cloud), site.latency(), site.bytesPerSecond());
        opened.add(door);
        var bucket = "sluice-demo-"
                + HexFormat.of().toHexDigits(RandomGenerator.getDefault().nextInt());
        Shown shown = ownCluster ? ownShown(folder, cloud, opened) : givenShown(site);
        var distant =
                new Cloud(URI.create("http://127.0.0.1:" + door.port()), cloud.keys(), cloud.trust(), cloud.name());
        var backend = new Backend(
                "s3://" + bucket,
                Optional.empty(),
                Optional.of(distant.endpoint().toString()),
                cloud.keys().map(Credentials::region),
                Optional.of(shown.profile()));
        return new LiveClusters(
                cloudStore(cloud, bucket, site.s3().isPresent(), opened),
                cloudStore(distant, bucket, false, opened),
                shownStore(shown, bucket, backend, opened),
                door,
                "%s, %d ms away, %d MiB/s"
                        .formatted(cloud.name(), site.latency().toMillis(), site.bytesPerSecond() >> 20),
                opened);
    }

    /// A cluster that is not the demo's has no keys for the demo's cloud, so that one must go without.
    private Cloud own(PrivateFolder folder, boolean signed, Opened opened) throws InterruptedException {
        var shape = new LocalSluice.Shape(1, 1, signed);
        var sluice = LocalSluice.start(folder.path().resolve("cloud"), shape, jvm, opened);
        return new Cloud(
                sluice.endpoint(),
                signed ? Optional.of(sluice.credentials()) : Optional.empty(),
                trust(),
                "A second Sluice");
    }

    private Cloud given(URI url) {
        if (!List.of("http", "https").contains(String.valueOf(url.getScheme()))
                || url.getHost() == null
                || url.getPath().length() > 1) {
            throw CommandFailure.refused(
                    "--s3 " + url + " is not an address such as http://10.0.0.1:9000, without a bucket");
        }
        var access = environment.get("AWS_ACCESS_KEY_ID");
        var secret = environment.get("AWS_SECRET_ACCESS_KEY");
        if (access == null || secret == null) {
            throw CommandFailure.refused("--s3 needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment:"
                    + " the demo makes a bucket there and puts its data set into it");
        }
        var region =
                environment.getOrDefault("AWS_REGION", environment.getOrDefault("AWS_DEFAULT_REGION", "us-east-1"));
        return new Cloud(url, Optional.of(new Credentials(access, secret, region)), trust(), url.toString());
    }

    private Shown ownShown(PrivateFolder folder, Cloud cloud, Opened opened) throws IOException, InterruptedException {
        var dir = folder.path().resolve("cluster");
        var profile = AwsProfile.write(folder.path(), PROFILE, cloud.keys().orElseThrow());
        var cluster = LocalSluice.start(dir, SHOWN, jvm.with(profile.environment()), opened);
        return new Shown(cluster.http(environment), PROFILE, true);
    }

    private Shown givenShown(DemoOptions.Site site) {
        var profile = site.s3().isPresent() ? environment.getOrDefault("AWS_PROFILE", "default") : ANONYMOUS;
        if (site.dir().isPresent()) {
            return new Shown(LocalSluice.running(site.dir().get()).http(environment), profile, false);
        }
        var access = environment.getOrDefault("SLUICE_ACCESS_KEY", environment.get("AWS_ACCESS_KEY_ID"));
        var secret = environment.getOrDefault("SLUICE_SECRET_KEY", environment.get("AWS_SECRET_ACCESS_KEY"));
        var keys = access == null || secret == null
                ? Optional.<Credentials>empty()
                : Optional.of(new Credentials(access, secret, "us-east-1"));
        return new Shown(new SignedHttp(site.endpoint().orElseThrow(), keys, trust()), profile, false);
    }

    private static ShardStore cloudStore(Cloud cloud, String bucket, boolean stays, Opened opened) {
        var client = cloud.client();
        return new S3ShardStore(
                client,
                bucket,
                () -> {
                    client.createBucket(bucket);
                    if (stays) {
                        opened.add(() -> {
                            client.list(bucket, "", Optional.empty(), object -> client.delete(bucket, object.key()));
                            client.removeBucket(bucket);
                        });
                    }
                },
                "");
    }

    private static ShardStore shownStore(Shown shown, String bucket, Backend backend, Opened opened) {
        var api = new NativeApi(shown.http());
        var client = new S3Client(shown.http());
        return new S3ShardStore(
                client,
                bucket,
                () -> {
                    api.createBucket(bucket, backend);
                    if (!shown.own()) {
                        opened.add(() -> api.destroyBucket(bucket, true));
                    }
                },
                shown.own() ? "" : hint(backend));
    }

    private static String hint(Backend backend) {
        var endpoint = backend.endpoint().orElseThrow();
        var profile = backend.profile().orElseThrow();
        return "\nThe cluster was running already, so its targets must be able to reach the cloud at %s, their settings"
                        .formatted(endpoint)
                + " must match it by backends.allow"
                + (profile.equals(ANONYMOUS)
                        ? ""
                        : ", and their AWS files must have the profile '%s'".formatted(profile));
    }

    /// Of those who are known by their address alone.
    private Trust trust() {
        return Trust.of(Optional.empty(), Optional.empty(), environment);
    }

    private static InetSocketAddress address(URI endpoint) {
        int usual = secure(endpoint) ? 443 : 80;
        return new InetSocketAddress(endpoint.getHost(), endpoint.getPort() < 0 ? usual : endpoint.getPort());
    }

    private static Optional<SSLSocketFactory> tls(Cloud cloud) {
        return secure(cloud.endpoint()) ? Optional.of(cloud.trust().context().getSocketFactory()) : Optional.empty();
    }

    private static boolean secure(URI endpoint) {
        return "https".equals(endpoint.getScheme());
    }

    private static void closeAfter(Exception failure, Opened opened) {
        try (opened) {
            if (failure instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
        } catch (IOException left) {
            failure.addSuppressed(left);
        }
    }
}
