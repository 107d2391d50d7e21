package dev.sluice.cli.command.object;

import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.ObjectCommand;
import dev.sluice.cli.command.ObjectPath;
import dev.sluice.cli.command.Progress;
import dev.sluice.cli.command.Transfer;
import dev.sluice.cli.failure.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `sluice put FILE BUCKET/KEY`, `sluice put -r FOLDER BUCKET/PREFIX`.
@Command(name = "put", description = "Stores a file, or with -r all files below a folder.")
public final class PutCommand extends ObjectCommand {
    @Parameters(index = "0", paramLabel = "FILE")
    private Path file = Path.of("");

    @Parameters(
            index = "1",
            paramLabel = "BUCKET/KEY",
            description = "A key that is empty or ends with / gets the file's name.")
    private String path = "";

    @Option(
            names = {"-r", "--recursive"},
            description = "FILE is a folder.")
    private boolean recursive;

    public PutCommand(Installation installation) {
        super(installation);
    }

    @Override
    public Integer call() {
        var at = ObjectPath.parse(path);
        if (Files.isDirectory(file) != recursive) {
            throw CommandFailure.refused(
                    recursive
                            ? file + " is not a folder"
                            : Files.exists(file) ? file + " is a folder: use -r" : file + ": no such file");
        }
        return recursive ? putFolder(at) : putFile(at);
    }

    private int putFile(ObjectPath at) {
        if (!Files.exists(file)) {
            throw CommandFailure.refused(file + ": no such file");
        }
        var key = at.key().isEmpty() || at.key().endsWith("/") ? at.key() + file.getFileName() : at.key();
        return done(
                Map.of("bucket", at.bucket(), "key", key, "etag", put(at.bucket(), key)),
                "stored %s/%s".formatted(at.bucket(), key));
    }

    private String put(String bucket, String key) {
        try (var progress = Progress.of(err(), String.valueOf(file.getFileName()))) {
            progress.begin(Files.size(file));
            return s3().put(bucket, key, file, progress::moved);
        } catch (IOException unreadable) {
            throw CommandFailure.failed(file + " cannot be read: " + unreadable.getMessage());
        }
    }

    private int putFolder(ObjectPath at) {
        var s3 = s3();
        try (var transfer = new Transfer(err());
                var tree = Files.walk(file)) {
            tree.filter(Files::isRegularFile).forEach(one -> {
                var key = at.asFolder() + file.relativize(one).toString();
                transfer.submit(one.toString(), moved -> s3.put(at.bucket(), key, one, moved));
            });
            return done(transfer.finish(), "stored");
        } catch (IOException unreadable) {
            throw CommandFailure.failed(file + " cannot be read: " + unreadable.getMessage());
        }
    }
}
