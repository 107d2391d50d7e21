package dev.sluice.cli.command.object;

import dev.sluice.cli.api.NativeApi;
import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.ObjectCommand;
import dev.sluice.cli.command.ObjectPath;
import dev.sluice.cli.command.Output;
import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.cli.s3.ListedObject;
import dev.sluice.cli.s3.ObjectInfo;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Optional;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `sluice cat|ls|stat`.
public final class ObjectCommands {
    private ObjectCommands() {}

    @Command(name = "cat", description = "Writes an object to standard output.")
    public static final class Cat extends ObjectCommand {
        @Parameters(paramLabel = "BUCKET/KEY")
        private String path = "";

        public Cat(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() throws IOException {
            var object = ObjectPath.parse(path).withKey();
            try (var download = s3().get(object.bucket(), object.key());
                    var output = new FileOutputStream(FileDescriptor.out)) {
                download.body().transferTo(output);
            } catch (IOException cut) {
                throw CommandFailure.failed(path + " broke off: " + cut.getMessage());
            }
            return 0;
        }
    }

    @Command(name = "ls", description = "Lists objects, or buckets where none is named.")
    public static final class ListObjects extends ObjectCommand {
        @Parameters(paramLabel = "BUCKET[/PREFIX]", arity = "0..1")
        private String path = "";

        @Option(
                names = {"-r", "--recursive"},
                description = "Everything below, not only the next level.")
        private boolean recursive;

        @Option(names = "--cached", description = "Only objects of a cloud bucket that are stored on the drives.")
        private boolean cached;

        public ListObjects(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            if (path.isEmpty()) {
                if (cached) {
                    throw CommandFailure.refused("name a bucket with a backend: sluice ls --cached BUCKET");
                }
                var names = nativeApi().buckets().stream()
                        .map(NativeApi.ListedBucket::name)
                        .toList();
                return done(names, String.join("\n", names));
            }
            var at = ObjectPath.parse(path);
            var delimiter = recursive ? Optional.<String>empty() : Optional.of("/");
            if (json()) {
                var found = new ArrayList<ListedObject>();
                list(at, delimiter, found::add);
                Output.json(out(), found);
            } else {
                list(at, delimiter, this::print);
                out().flush();
            }
            return 0;
        }

        private void list(ObjectPath at, Optional<String> delimiter, Consumer<ListedObject> each) {
            if (cached) {
                nativeApi().cached(at.bucket(), at.key(), delimiter, each);
            } else {
                s3().list(at.bucket(), at.key(), delimiter, each);
            }
        }

        private void print(ListedObject object) {
            var size = object.isPrefix() ? "-" : Long.toString(object.size());
            out().printf("%14s  %-24s  %s%n", size, object.lastModified(), object.key());
        }
    }

    @Command(name = "stat", description = "Shows an object's size, ETag, time and metadata.")
    public static final class Stat extends ObjectCommand {
        @Parameters(paramLabel = "BUCKET/KEY")
        private String path = "";

        public Stat(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            var at = ObjectPath.parse(path).withKey();
            var object = s3().head(at.bucket(), at.key());
            return done(object, text(object));
        }

        private static String text(ObjectInfo object) {
            var text = new StringBuilder()
                    .append(object.bucket())
                    .append('/')
                    .append(object.key())
                    .append("\n  size      ")
                    .append(object.size())
                    .append("\n  etag      ")
                    .append(object.etag())
                    .append("\n  modified  ")
                    .append(object.lastModified())
                    .append("\n  type      ")
                    .append(object.contentType());
            object.metadata()
                    .forEach((name, value) ->
                            text.append("\n  meta ").append(name).append(" = ").append(value));
            return text.toString();
        }
    }
}
