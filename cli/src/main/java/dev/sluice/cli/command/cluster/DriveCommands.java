package dev.sluice.cli.command.cluster;

import dev.sluice.cli.api.NativeApi;
import dev.sluice.cli.api.NodeHealth;
import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.ObjectCommand;
import dev.sluice.cli.command.Output;
import dev.sluice.cli.failure.CommandFailure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `sluice drive list|attach|detach|disable|enable`.
public final class DriveCommands {
    private DriveCommands() {}

    /// One drive and whose it is.
    private record Found(String target, NodeHealth.Drive drive) {
        Map<String, Object> shown() {
            var shown = new LinkedHashMap<String, Object>();
            shown.put("target", target);
            shown.put("path", drive.path());
            shown.put("id", drive.id());
            shown.put("weight", drive.weight());
            shown.put("leaving", drive.leaving());
            shown.put("state", drive.state());
            shown.put("reason", drive.reason());
            shown.put("since", drive.since().toString());
            shown.put("errors", drive.errors());
            return shown;
        }

        List<String> row() {
            return List.of(
                    target,
                    drive.path().isEmpty() ? "-" : drive.path(),
                    drive.id(),
                    Long.toString(drive.weight()),
                    drive.leaving() ? drive.state() + ", leaving" : drive.state(),
                    drive.since().toString(),
                    Long.toString(drive.errors()),
                    drive.reason().isEmpty() ? "-" : drive.reason());
        }
    }

    abstract static class OnDrives extends ObjectCommand {
        @Option(names = "--target", paramLabel = "ID", description = "Of this target only.")
        private @Nullable String target;

        OnDrives(Installation installation) {
            super(installation);
        }

        private List<Found> found() {
            var found = new ArrayList<Found>();
            for (var id : targets()) {
                nativeApi().mountpaths(id).forEach(drive -> found.add(new Found(id, drive)));
            }
            return found;
        }

        private List<String> targets() {
            return target != null
                    ? List.of(target)
                    : nativeApi().clusterMap().stream()
                            .filter(member -> member.role().equals("target"))
                            .map(NativeApi.Member::id)
                            .toList();
        }

        int show() {
            var found = found();
            if (json()) {
                Output.json(out(), found.stream().map(Found::shown).toList());
            } else {
                Output.table(
                        out(),
                        List.of("TARGET", "PATH", "ID", "WEIGHT", "STATE", "SINCE", "ERRORS", "REASON"),
                        found.stream().map(Found::row).toList());
            }
            return 0;
        }

        /// @param drive a path or an id
        int change(NativeApi.DriveChange change, String drive) {
            var owner = ownerOf(drive);
            var done = nativeApi().changeMountpath(owner, change, drive);
            var now = nativeApi().mountpaths(owner).stream()
                    .filter(each -> each.path().equals(drive) || each.id().equals(drive))
                    .map(each -> new Found(owner, each).shown())
                    .findFirst()
                    .orElse(new LinkedHashMap<>(Map.of("target", owner)));
            now.put("done", done);
            return done(now, owner + " " + done);
        }

        private String ownerOf(String drive) {
            var having = found().stream()
                    .filter(found -> found.drive().path().equals(drive)
                            || found.drive().id().equals(drive))
                    .toList();
            if (having.isEmpty()) {
                throw CommandFailure.refused("no target has a drive at " + drive + " (sluice drive list)");
            }
            if (having.size() > 1) {
                throw CommandFailure.refused("several targets have a drive at " + drive + ": name one with --target");
            }
            return having.getFirst().target();
        }

        /// A new drive is nobody's yet: where there are several targets, one must be named.
        int attach(String path) {
            var targets = targets();
            if (targets.size() != 1) {
                throw CommandFailure.refused("there are several targets: name the drive's with --target");
            }
            var done = nativeApi().changeMountpath(targets.getFirst(), NativeApi.DriveChange.ATTACH, path);
            return done(Map.of("target", targets.getFirst(), "done", done), targets.getFirst() + " " + done);
        }
    }

    abstract static class OnDrive extends OnDrives {
        @Parameters(paramLabel = "DRIVE", description = "Its path or id.")
        private String drive = "";

        OnDrive(Installation installation) {
            super(installation);
        }

        int change(NativeApi.DriveChange change) {
            return change(change, drive);
        }
    }

    @Command(name = "list", description = "Lists drives with their states.")
    public static final class ListDrives extends OnDrives {
        public ListDrives(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            return show();
        }
    }

    @Command(
            name = "attach",
            description = "Takes a blank drive into a target, or one of its drives where it is mounted now.")
    public static final class Attach extends OnDrives {
        @Parameters(paramLabel = "PATH", description = "A folder on the target's machine.")
        private String path = "";

        public Attach(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            return attach(path);
        }
    }

    @Command(name = "detach", description = "Lets a drive go: what it has is moved to the others first.")
    public static final class Detach extends OnDrive {
        @Option(names = "--lost", description = "It cannot be read any more: gives up what only it has, at once.")
        private boolean lost;

        public Detach(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            return change(lost ? NativeApi.DriveChange.DETACH_LOST : NativeApi.DriveChange.DETACH);
        }
    }

    @Command(
            name = "disable",
            description =
                    "Takes a drive out of use, also across restarts; what only it has answers 503, and it may be unmounted.")
    public static final class Disable extends OnDrive {
        public Disable(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            return change(NativeApi.DriveChange.DISABLE);
        }
    }

    @Command(
            name = "enable",
            description = "Takes a disabled drive into use again, or tries one that is out without waiting.")
    public static final class Enable extends OnDrive {
        public Enable(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            return change(NativeApi.DriveChange.ENABLE);
        }
    }
}
