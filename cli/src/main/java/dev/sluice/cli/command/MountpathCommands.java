package dev.sluice.cli.command;

import dev.sluice.cli.CommandFailure;
import dev.sluice.cli.api.NativeApi;
import dev.sluice.cli.api.NodeHealth;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `sluice mountpath list|disable|enable`.
final class MountpathCommands {
    private MountpathCommands() {}

    /// One drive and whose it is.
    private record Found(String target, NodeHealth.Drive drive) {
        Map<String, Object> shown() {
            var shown = new LinkedHashMap<String, Object>();
            shown.put("target", target);
            shown.put("path", drive.path());
            shown.put("state", drive.state());
            shown.put("reason", drive.reason());
            shown.put("since", drive.since().toString());
            shown.put("errors", drive.errors());
            return shown;
        }

        List<String> row() {
            return List.of(
                    target,
                    drive.path(),
                    drive.state(),
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
                        List.of("TARGET", "PATH", "STATE", "SINCE", "ERRORS", "REASON"),
                        found.stream().map(Found::row).toList());
            }
            return 0;
        }

        int set(String path, boolean enabled) {
            var having = found().stream()
                    .filter(found -> found.drive().path().equals(path))
                    .toList();
            if (having.isEmpty()) {
                throw CommandFailure.refused("no target has a drive at " + path + " (sluice mountpath list)");
            }
            if (having.size() > 1) {
                throw CommandFailure.refused("several targets have a drive at " + path + ": name one with --target");
            }
            var owner = having.getFirst().target();
            nativeApi().setMountpath(owner, path, enabled);
            var now = nativeApi().mountpaths(owner).stream()
                    .filter(drive -> Objects.equals(drive.path(), path))
                    .map(drive -> new Found(owner, drive))
                    .findFirst()
                    .orElseThrow();
            return done(now.shown(), "%s drive %s".formatted(owner, now.drive().text()));
        }
    }

    @Command(name = "list", description = "Lists drives with their states.")
    static final class ListDrives extends OnDrives {
        ListDrives(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            return show();
        }
    }

    @Command(
            name = "disable",
            description =
                    "Takes a drive out of use, also across restarts; its keys answer 503, and it may be unmounted.")
    static final class Disable extends OnDrives {
        @Parameters(paramLabel = "PATH")
        private String path = "";

        Disable(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            return set(path, false);
        }
    }

    @Command(
            name = "enable",
            description = "Takes a disabled drive into use again, or tries one that is out without waiting.")
    static final class Enable extends OnDrives {
        @Parameters(paramLabel = "PATH")
        private String path = "";

        Enable(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            return set(path, true);
        }
    }
}
