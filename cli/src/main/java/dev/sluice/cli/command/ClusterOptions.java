package dev.sluice.cli.command;

import dev.sluice.cli.api.NativeApi;
import dev.sluice.cli.cluster.ClusterFile;
import dev.sluice.cli.cluster.Layout;
import dev.sluice.cli.config.AuthConfig;
import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.cli.s3.S3Client;
import dev.sluice.cli.s3.SignedHttp;
import dev.sluice.cli.trust.Trust;
import dev.sluice.common.auth.Credentials;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Which cluster a command talks to: `--cluster`, also written `--endpoint` (or $SLUICE_ENDPOINT) with keys from the
/// environment, else the local one in `--dir` with the keys of its cluster.json.
public final class ClusterOptions {
    /// What else may be done where there is no cluster.
    public static final String OTHERWISE = ", or name one with --cluster or --dir";

    @Mixin
    private final DirOption dir = new DirOption();

    @Option(
            names = {"--cluster", "--endpoint"},
            paramLabel = "URL",
            description = "A node of the cluster (default: $SLUICE_ENDPOINT, else the cluster in DIR).")
    private @Nullable URI cluster;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description = "Whom to trust at an https address, in PEM (default: the certificate of the cluster"
                    + " in DIR, else $AWS_CA_BUNDLE, else what the JDK trusts).")
    private @Nullable Path ca;

    @Option(
            names = "--sign-region",
            paramLabel = "REGION",
            defaultValue = "us-east-1",
            description = "The region in signatures (default us-east-1).")
    private String signRegion = "us-east-1";

    public Layout layout(Installation installation) {
        return dir.layout(installation);
    }

    /// The cluster in DIR.
    ///
    /// @throws CommandFailure if there is none
    public ClusterFile local(Installation installation) {
        return ClusterFile.require(layout(installation), OTHERWISE);
    }

    public boolean remote(Installation installation) {
        return remoteEndpoint(installation).isPresent();
    }

    public S3Client s3(Installation installation) {
        return new S3Client(http(installation));
    }

    public NativeApi nativeApi(Installation installation) {
        return new NativeApi(http(installation));
    }

    public Trust trust(Installation installation, Optional<Path> own) {
        return Trust.of(Optional.ofNullable(ca), own, installation.environment());
    }

    /// The address on the command line.
    public Optional<URI> named() {
        return Optional.ofNullable(cluster);
    }

    private Optional<URI> remoteEndpoint(Installation installation) {
        if (named().isPresent()) {
            return named();
        }
        return dir.given()
                ? Optional.empty()
                : Optional.ofNullable(installation.environment().get("SLUICE_ENDPOINT"))
                        .filter(text -> !text.isEmpty())
                        .map(URI::create);
    }

    private SignedHttp http(Installation installation) {
        var remote = remoteEndpoint(installation);
        if (remote.isPresent()) {
            var url = remote.get();
            if (url.getHost() == null || !List.of("http", "https").contains(url.getScheme())) {
                throw CommandFailure.refused("'" + url + "' is not an address such as http://127.0.0.1:8080");
            }
            return new SignedHttp(url, keys(installation), trust(installation, Optional.empty()));
        }
        var cluster = local(installation);
        var credentials = cluster.started().auth()
                ? Optional.of(new Credentials(cluster.accessKey(), cluster.secretKey(), signRegion))
                : Optional.<Credentials>empty();
        return new SignedHttp(
                URI.create(cluster.s3Endpoint()), credentials, trust(installation, cluster.certificate()));
    }

    private Optional<Credentials> keys(Installation installation) {
        var environment = installation.environment();
        var access = environment.getOrDefault(AuthConfig.ACCESS_KEY_VARIABLE, environment.get("AWS_ACCESS_KEY_ID"));
        var secret = environment.getOrDefault(AuthConfig.SECRET_KEY_VARIABLE, environment.get("AWS_SECRET_ACCESS_KEY"));
        return access == null || secret == null
                ? Optional.empty()
                : Optional.of(new Credentials(access, secret, signRegion));
    }
}
