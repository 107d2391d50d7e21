package dev.sluice.cli.command.object;

import dev.sluice.cli.command.Amounts;
import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.ObjectCommand;
import dev.sluice.cli.command.ObjectPath;
import dev.sluice.cli.command.Progress;
import dev.sluice.cli.command.Transfer;
import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.cli.s3.S3Client;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `sluice get BUCKET/KEY [FILE]`, `sluice get -r BUCKET/PREFIX FOLDER`. A file appears under its name when it
/// is whole.
@Command(name = "get", description = "Fetches an object, or with -r all objects below a prefix.")
public final class GetCommand extends ObjectCommand {
    @Parameters(index = "0", paramLabel = "BUCKET/KEY")
    private String path = "";

    @Parameters(index = "1", paramLabel = "FILE", arity = "0..1", description = "Default: the key's last part, here.")
    private @Nullable Path file;

    @Option(
            names = {"-r", "--recursive"},
            description = "Everything below KEY, into the folder FILE.")
    private boolean recursive;

    public GetCommand(Installation installation) {
        super(installation);
    }

    @Override
    public Integer call() {
        return recursive
                ? getAll(ObjectPath.parse(path))
                : getOne(ObjectPath.parse(path).withKey());
    }

    private int getOne(ObjectPath at) {
        var name = Path.of(at.key().substring(at.key().lastIndexOf('/') + 1));
        var named = file == null ? name : file;
        var to = Files.isDirectory(named) ? named.resolve(name) : named;
        long size;
        try (var progress = Progress.of(err(), name.toString())) {
            size = fetch(s3(), at, to, progress::begin, progress::moved);
        }
        return done(Map.of("file", to.toString(), "size", size), "fetched %s, %s".formatted(to, Amounts.bytes(size)));
    }

    private int getAll(ObjectPath at) {
        var top = (file == null ? Path.of("") : file).toAbsolutePath().normalize();
        var prefix = at.asFolder();
        var s3 = s3();
        try (var transfer = new Transfer(err())) {
            s3.list(at.bucket(), prefix, Optional.empty(), object -> {
                var to = top.resolve(object.key().substring(prefix.length())).normalize();
                if (!to.startsWith(top) || object.key().endsWith("/") || to.equals(top)) {
                    transfer.failed(object.key(), "cannot be a file below " + top);
                } else {
                    var from = new ObjectPath(at.bucket(), object.key());
                    transfer.submit(object.key(), moved -> fetch(s3, from, to, _ -> {}, moved));
                }
            });
            return done(transfer.finish(), "fetched");
        }
    }

    /// @param begun hears of the length, negative when it is not known
    private static long fetch(S3Client s3, ObjectPath from, Path to, LongConsumer begun, LongConsumer moved) {
        try (var download = s3.get(from.bucket(), from.key())) {
            begun.accept(download.size());
            return WholeFile.write(to, output -> copy(download, output, moved));
        } catch (IOException cut) {
            throw CommandFailure.failed("%s/%s into %s: %s".formatted(from.bucket(), from.key(), to, cut.getMessage()));
        }
    }

    private static long copy(S3Client.Download download, OutputStream output, LongConsumer moved) throws IOException {
        var buffer = new byte[256 << 10];
        var size = 0L;
        for (int read = download.body().read(buffer);
                read >= 0;
                read = download.body().read(buffer)) {
            output.write(buffer, 0, read);
            moved.accept(read);
            size += read;
        }
        if (download.size() >= 0 && size != download.size()) {
            throw new IOException("broke off after " + size + " of " + download.size() + " bytes");
        }
        return size;
    }
}
