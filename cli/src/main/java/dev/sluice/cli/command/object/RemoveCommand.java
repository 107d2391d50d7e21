package dev.sluice.cli.command.object;

import dev.sluice.cli.command.Confirmation;
import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.ObjectCommand;
import dev.sluice.cli.command.ObjectPath;
import dev.sluice.cli.command.Transfer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `sluice rm BUCKET/KEY`, `sluice rm -r BUCKET/FOLDER`.
@Command(
        name = "rm",
        description = "Removes objects, or with -r folders; in a bucket with a backend also from the cloud.")
public final class RemoveCommand extends ObjectCommand {
    @Parameters(paramLabel = "BUCKET/KEY", arity = "1..*")
    private List<String> paths = List.of();

    @Option(
            names = {"-r", "--recursive"},
            description =
                    "KEY is a folder: removes every object whose key begins with KEY/, and without KEY all objects"
                            + " of the bucket.")
    private boolean recursive;

    @Option(names = "--dry-run", description = "Shows what would be removed, and removes nothing.")
    private boolean dryRun;

    @Option(
            names = {"-y", "--yes"},
            description = "With -r: does not ask before it removes objects from the cloud. Required there without a"
                    + " terminal.")
    private boolean yes;

    public RemoveCommand(Installation installation) {
        super(installation);
    }

    @Override
    public Integer call() {
        var given = paths.stream().map(ObjectPath::parse).toList();
        return recursive
                ? removeFolders(given)
                : removeObjects(given.stream().map(ObjectPath::withKey).toList());
    }

    private int removeObjects(List<ObjectPath> objects) {
        if (dryRun) {
            return showOnly(objects.stream().map(ObjectPath::toString).toList());
        }
        var s3 = s3();
        objects.forEach(object -> s3.delete(object.bucket(), object.key()));
        return done(Map.of("removed", paths), "removed " + String.join(" ", paths));
    }

    private int removeFolders(List<ObjectPath> folders) {
        var s3 = s3();
        if (dryRun) {
            var found = new ArrayList<String>();
            folders.forEach(at -> s3.list(
                    at.bucket(),
                    at.asFolder(),
                    Optional.empty(),
                    object -> found.add(new ObjectPath(at.bucket(), object.key()).toString())));
            return showOnly(found);
        }
        confirm(folders);
        try (var transfer = new Transfer(err())) {
            for (var at : folders) {
                s3.list(
                        at.bucket(),
                        at.asFolder(),
                        Optional.empty(),
                        object -> transfer.submit(object.key(), _ -> s3.delete(at.bucket(), object.key())));
            }
            return done(transfer.finish(), "removed");
        }
    }

    private int showOnly(List<String> objects) {
        var lines =
                objects.stream().map(object -> "would remove " + object + "\n").collect(Collectors.joining());
        var count = "would remove %d %s".formatted(objects.size(), objects.size() == 1 ? "object" : "objects");
        return done(Map.of("would_remove", objects), lines + count);
    }

    /// What is removed here alone can be put back by whoever has it; a cloud bucket may be the only place.
    private void confirm(List<ObjectPath> folders) {
        if (yes) {
            return;
        }
        var confirmation = Confirmation.onTerminal();
        for (var at : folders) {
            var backend = nativeApi().bucket(at.bucket()).path("backend").path("url");
            if (backend.isTextual()) {
                confirmation.require("%s/%s: this also removes the objects from the cloud (%s)"
                        .formatted(at.bucket(), at.asFolder(), backend.asText()));
            }
        }
    }
}
