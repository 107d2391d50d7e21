package dev.sluice.cli.command.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.cli.api.NativeApi;
import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.ObjectCommand;
import dev.sluice.cli.command.Output;
import dev.sluice.cli.failure.CommandFailure;
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

/// `sluice bucket create|ls|show|set|rm|policy`.
public final class BucketCommands {
    private BucketCommands() {}

    @Command(name = "create", description = "Makes a bucket, with --backend one that stands before a cloud bucket.")
    public static final class Create extends ObjectCommand {
        @Parameters(paramLabel = "NAME")
        private String name = "";

        @Option(names = "--backend", paramLabel = "URL", description = "The cloud bucket: s3://NAME or gs://NAME.")
        private @Nullable String backend;

        @Option(
                names = "--via",
                paramLabel = "NAME",
                description =
                        "The [backends.NAME] of the nodes' settings: endpoint and credentials of the cloud bucket.")
        private @Nullable String via;

        @Option(
                names = "--backend-endpoint",
                paramLabel = "URL",
                description = "Address of the cloud bucket, with --profile; the nodes' backends.allow must match it.")
        private @Nullable String backendEndpoint;

        @Option(names = "--region", paramLabel = "REGION", description = "The cloud bucket's region.")
        private @Nullable String region;

        @Option(
                names = "--profile",
                paramLabel = "PROFILE",
                description =
                        "AWS profile on the targets, or anonymous; the nodes' backends.allow must match the address.")
        private @Nullable String profile;

        @Option(names = "--no-check", description = "Create the bucket without asking the cloud first.")
        private boolean noCheck;

        @Mixin
        private final PropertyOptions properties = new PropertyOptions();

        public Create(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            var cloud = Optional.ofNullable(backend)
                    .map(url -> new NativeApi.Backend(
                            url,
                            Optional.ofNullable(via),
                            Optional.ofNullable(backendEndpoint),
                            Optional.ofNullable(region),
                            Optional.ofNullable(profile)));
            if (cloud.isEmpty()
                    && (via != null || backendEndpoint != null || region != null || profile != null || noCheck)) {
                throw CommandFailure.refused(
                        "--via, --backend-endpoint, --region, --profile and --no-check belong to a --backend");
            }
            nativeApi().createBucket(name, cloud, properties.given(), !noCheck);
            return done(
                    Map.of(
                            "bucket",
                            name,
                            "backend",
                            cloud.map(NativeApi.Backend::url).orElse("")),
                    "created " + name + cloud.map(url -> " before " + url.url()).orElse(""));
        }
    }

    @Command(
            name = "ls",
            description = "Lists buckets; with the number of replicas where it is more than 1, or the erasure code.")
    public static final class ListBuckets extends ObjectCommand {
        public ListBuckets(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            var buckets = nativeApi().buckets();
            if (json()) {
                Output.json(
                        out(),
                        buckets.stream().map(NativeApi.ListedBucket::name).toList());
            } else {
                buckets.forEach(bucket -> out().println(text(bucket)));
                out().flush();
            }
            return 0;
        }

        private static String text(NativeApi.ListedBucket bucket) {
            if (bucket.code().isPresent()) {
                return "%s  ec %s".formatted(bucket.name(), bucket.code().get());
            }
            return bucket.replicas() == 1
                    ? bucket.name()
                    : "%s  %d replicas".formatted(bucket.name(), bucket.replicas());
        }
    }

    @Command(
            name = "show",
            description = "Shows a bucket's properties and what it takes; exit code 1 if a target does not answer.")
    public static final class Show extends ObjectCommand {
        @Parameters(paramLabel = "NAME")
        private String name = "";

        public Show(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            var properties = nativeApi().bucket(name);
            if (properties instanceof ObjectNode fields) {
                NativeApi.code(properties).ifPresent(code -> fields.put("ec", code));
            }
            var usage = nativeApi().usage(name);
            var shown = new LinkedHashMap<String, Object>();
            shown.put("bucket", name);
            shown.put("properties", properties);
            shown.put("usage", usage);
            done(shown, name + "\n" + properties.toPrettyString() + "\n" + UsageText.of(usage, counted(properties)));
            var silent = usage.findValues("error");
            silent.forEach(error -> err().println("sluice: " + error.asText()));
            err().flush();
            return silent.isEmpty() ? 0 : 1;
        }

        private static String counted(JsonNode properties) {
            if (properties.has("ec")) {
                return "slices of objects";
            }
            return properties.path("replicas").asInt(1) > 1 ? "replicas of objects" : "objects";
        }
    }

    @Command(name = "set", description = "Changes a bucket's properties; what is not named stays.")
    public static final class SetProperties extends ObjectCommand {
        @Parameters(paramLabel = "NAME")
        private String name = "";

        @Mixin
        private final PropertyOptions properties = new PropertyOptions();

        public SetProperties(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            var given = properties.given();
            if (given.isEmpty()) {
                throw CommandFailure.refused(
                        "name what to change: --replicas N, --local-copies N, --quota SIZE or none, --expire-after, --durability, --route,"
                                + " --revalidate, --evict or --cold-range");
            }
            nativeApi().setProperties(name, given);
            var shown = new LinkedHashMap<String, Object>();
            shown.put("bucket", name);
            shown.put("changed", given);
            return done(shown, "changed " + name + " " + given);
        }
    }

    @Command(name = "rm", description = "Removes a bucket; the cloud bucket behind it stays.")
    public static final class Remove extends ObjectCommand {
        @Parameters(paramLabel = "NAME")
        private String name = "";

        @Option(names = "--force", description = "Also with objects in it.")
        private boolean force;

        public Remove(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            if (!force && s3().holdsObjects(name)) {
                // To remove them first would remove them from the cloud too.
                throw CommandFailure.refused(
                        nativeApi().bucket(name).hasNonNull("backend")
                                ? name + " stands before a cloud bucket with objects: --force removes only what is here"
                                : name + " holds objects: remove them first, or use --force");
            }
            nativeApi().destroyBucket(name, force);
            return done(Map.of("removed", List.of(name)), "removed " + name);
        }
    }

    @Command(name = "policy", description = "Shows, sets or removes a bucket's policy.")
    public static final class Policy extends ObjectCommand {
        @Parameters(index = "0", paramLabel = "NAME")
        private String name = "";

        @Parameters(index = "1", paramLabel = "FILE", arity = "0..1", description = "The policy to set, as JSON.")
        private @Nullable Path file;

        @Option(names = "--remove", description = "Remove the policy.")
        private boolean remove;

        public Policy(Installation installation) {
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
