package dev.sluice.cli.command;

import dev.sluice.cli.CommandFailure;
import dev.sluice.cli.api.NativeApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `sluice bucket create|ls|show|rm|policy`.
final class BucketCommands {
    private BucketCommands() {}

    @Command(name = "create", description = "Makes a bucket, with --backend one that stands before a cloud bucket.")
    static final class Create extends ClusterCommand {
        @Mixin
        private final ClusterOptions cluster = new ClusterOptions();

        @Parameters(paramLabel = "NAME")
        private String name = "";

        @Option(names = "--backend", paramLabel = "URL", description = "The cloud bucket: s3://NAME or gs://NAME.")
        private @Nullable String backend;

        @Option(
                names = "--endpoint",
                paramLabel = "URL",
                description = "Where the cloud bucket is served, if not at the cloud's own address.")
        private @Nullable String backendEndpoint;

        @Option(names = "--region", paramLabel = "REGION", description = "The cloud bucket's region.")
        private @Nullable String region;

        @Option(
                names = "--profile",
                paramLabel = "PROFILE",
                description = "The profile with the credentials, on the machines of the targets.")
        private @Nullable String profile;

        Create(Installation installation) {
            super(installation);
        }

        @Override
        ClusterOptions cluster() {
            return cluster;
        }

        @Override
        public Integer call() {
            var cloud = Optional.ofNullable(backend)
                    .map(url -> new NativeApi.Backend(
                            url,
                            Optional.ofNullable(backendEndpoint),
                            Optional.ofNullable(region),
                            Optional.ofNullable(profile)));
            if (cloud.isEmpty() && (backendEndpoint != null || region != null || profile != null)) {
                throw CommandFailure.refused(
                        "--endpoint, --region and --profile are those of a --backend (the cluster is chosen with --cluster or --dir)");
            }
            nativeApi().createBucket(name, cloud);
            return done(
                    Map.of(
                            "bucket",
                            name,
                            "backend",
                            cloud.map(NativeApi.Backend::url).orElse("")),
                    "created " + name + cloud.map(url -> " before " + url.url()).orElse(""));
        }
    }

    @Command(name = "ls", description = "Lists buckets.")
    static final class ListBuckets extends ObjectCommand {
        ListBuckets(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            var names = nativeApi().buckets();
            if (json()) {
                Output.json(out(), names);
            } else {
                names.forEach(out()::println);
                out().flush();
            }
            return 0;
        }
    }

    @Command(name = "show", description = "Shows a bucket's properties.")
    static final class Show extends ObjectCommand {
        @Parameters(paramLabel = "NAME")
        private String name = "";

        Show(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            var properties = nativeApi().bucket(name);
            var shown = new LinkedHashMap<String, Object>();
            shown.put("bucket", name);
            shown.put("properties", properties);
            return done(shown, name + "\n" + properties.toPrettyString());
        }
    }

    @Command(name = "rm", description = "Removes a bucket; the cloud bucket behind it stays.")
    static final class Remove extends ObjectCommand {
        @Parameters(paramLabel = "NAME")
        private String name = "";

        @Option(names = "--force", description = "Also with objects in it.")
        private boolean force;

        Remove(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            if (!force && s3().holdsObjects(name)) {
                throw CommandFailure.refused(name + " holds objects: remove them first, or use --force");
            }
            nativeApi().destroyBucket(name);
            return done(Map.of("removed", List.of(name)), "removed " + name);
        }
    }

    @Command(name = "policy", description = "Shows, sets or removes a bucket's policy.")
    static final class Policy extends ObjectCommand {
        @Parameters(index = "0", paramLabel = "NAME")
        private String name = "";

        @Parameters(index = "1", paramLabel = "FILE", arity = "0..1", description = "The policy to set, as JSON.")
        private @Nullable Path file;

        @Option(names = "--remove", description = "Remove the policy.")
        private boolean remove;

        Policy(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() throws IOException {
            if (remove && file != null) {
                throw CommandFailure.refused("give a FILE or --remove, not both");
            }
            if (remove) {
                s3().removePolicy(name);
                return done(Map.of("bucket", name), "removed the policy of " + name);
            }
            if (file != null) {
                s3().setPolicy(name, Files.readString(file));
                return done(Map.of("bucket", name), "set the policy of " + name);
            }
            out().println(s3().policy(name));
            out().flush();
            return 0;
        }
    }
}
