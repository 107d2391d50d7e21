package dev.sluice.cli.command;

import dev.sluice.cli.CommandFailure;
import dev.sluice.cli.api.NativeApi;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `sluice bucket create|ls|show|rm`.
final class BucketCommands {
    private BucketCommands() {}

    @Command(name = "create", description = "Makes a bucket, with --backend one that stands before a cloud bucket.")
    static final class Create extends ObjectCommand {
        @Parameters(paramLabel = "NAME")
        private String name = "";

        @Option(names = "--backend", paramLabel = "URL", description = "The cloud bucket: s3://NAME or gs://NAME.")
        private @Nullable String backend;

        @Option(
                names = "--backend-endpoint",
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
        public Integer call() {
            var cloud = Optional.ofNullable(backend)
                    .map(url -> new NativeApi.Backend(
                            url,
                            Optional.ofNullable(backendEndpoint),
                            Optional.ofNullable(region),
                            Optional.ofNullable(profile)));
            if (cloud.isEmpty() && (backendEndpoint != null || region != null || profile != null)) {
                throw CommandFailure.refused("--backend-endpoint, --region and --profile belong to a --backend");
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
}
