package dev.sluice.cli.command.object;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.cli.command.Amounts;
import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.ObjectCommand;
import dev.sluice.cli.command.ObjectPath;
import dev.sluice.cli.command.Output;
import dev.sluice.cli.command.Specs;
import dev.sluice.cli.command.Transfer;
import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.cli.s3.S3Client;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `sluice sample ls|get`.
public final class SampleCommands {
    private static final String TAR = ".tar";
    private static final JsonMapper JSON = new JsonMapper();

    private SampleCommands() {}

    /// What a shard is known to have.
    private record Shard(String key, long samples, long size) {}

    @Command(
            name = "ls",
            description = "How many samples each tar shard has. A shard that was never asked for is read first, and"
                    + " fetched if it is in the cloud only.",
            footerHeading = Specs.EXAMPLES,
            footer = "  sluice sample ls imagenet/train-")
    public static final class ListSamples extends ObjectCommand {
        @Parameters(paramLabel = "BUCKET[/PREFIX]", description = "Of all keys that begin so and end with .tar.")
        private String path = "";

        public ListSamples(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            var at = ObjectPath.parse(path);
            var s3 = s3();
            var shards = new ConcurrentSkipListMap<String, Shard>();
            try (var transfer = new Transfer(err())) {
                s3.list(at.bucket(), at.key(), Optional.empty(), object -> {
                    if (object.key().endsWith(TAR)) {
                        transfer.submit(object.key(), moved -> {
                            shards.put(object.key(), shard(s3, at.bucket(), object.key()));
                            moved.accept(object.size());
                        });
                    }
                });
                var failures = transfer.finish().failures();
                failures.forEach(failure -> err().println("sluice: " + failure));
                print(List.copyOf(shards.values()));
                return failures.isEmpty() ? 0 : 1;
            }
        }

        private static Shard shard(S3Client s3, String bucket, String key) throws JsonProcessingException {
            var known = JSON.readTree(s3.countSamples(bucket, key));
            return new Shard(
                    key, known.path("samples").asLong(), known.path("size").asLong());
        }

        private void print(List<Shard> shards) {
            if (json()) {
                Output.json(out(), shards);
                return;
            }
            var rows = new ArrayList<List<String>>();
            for (var shard : shards) {
                rows.add(List.of(Long.toString(shard.samples), Amounts.bytes(shard.size), shard.key));
            }
            Output.table(out(), List.of("SAMPLES", "SIZE", "SHARD"), rows);
            out().printf(
                            "%d samples in %d shards%n",
                            shards.stream().mapToLong(Shard::samples).sum(), shards.size());
            out().flush();
        }
    }

    @Command(
            name = "get",
            description = "Fetches a sample of a tar shard by its number, or K from there on, as a tar file.",
            footerHeading = Specs.EXAMPLES,
            footer = {
                "  sluice sample get imagenet/train-000000.tar 17",
                "  sluice sample get imagenet/train-000000.tar 17 - | tar tv",
            })
    public static final class GetSamples extends ObjectCommand {
        private static final byte[] END_OF_TAR = new byte[2 * 512];

        @Parameters(index = "0", paramLabel = "BUCKET/KEY")
        private String path = "";

        @Parameters(index = "1", paramLabel = "N", description = "The first one's number, counted from 0.")
        private long first;

        @Parameters(
                index = "2",
                paramLabel = "FILE",
                arity = "0..1",
                description = "Default: the key's last part with the number, here. -: standard output.")
        private @Nullable String file;

        @Option(names = "--count", paramLabel = "K", description = "So many, one after the other (default 1).")
        private long count = 1;

        public GetSamples(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            var at = ObjectPath.parse(path).withKey();
            try (var samples = s3().samples(at.bucket(), at.key(), first, count)) {
                if ("-".equals(file)) {
                    try (var output = new FileOutputStream(FileDescriptor.out)) {
                        write(samples, output);
                    }
                    return 0;
                }
                var to = file == null ? defaultFile(at.key()) : Path.of(file);
                long size = WholeFile.write(to, output -> write(samples, output));
                return done(
                        Map.of("file", to.toString(), "size", size),
                        "fetched %s, %s".formatted(to, Amounts.bytes(size)));
            } catch (IOException cut) {
                throw CommandFailure.failed("sample %d of %s: %s".formatted(first, path, cut.getMessage()));
            }
        }

        private Path defaultFile(String key) {
            var name = key.substring(key.lastIndexOf('/') + 1);
            var stem = name.endsWith(TAR) ? name.substring(0, name.length() - TAR.length()) : name;
            return Path.of(stem + "-" + first + TAR);
        }

        private static long write(S3Client.Download samples, OutputStream output) throws IOException {
            var crc = new CRC32();
            long size = new CheckedInputStream(samples.body(), crc).transferTo(output);
            if (samples.size() >= 0 && size != samples.size()) {
                throw new IOException("broke off after " + size + " of " + samples.size() + " bytes");
            }
            if (samples.crc32().filter(said -> said != crc.getValue()).isPresent()) {
                throw new IOException("the bytes that came are not those that were sent: CRC32 %08x instead of %08x"
                        .formatted(crc.getValue(), samples.crc32().get()));
            }
            output.write(END_OF_TAR);
            return size + END_OF_TAR.length;
        }
    }
}
