package dev.sluice.targetnode.admin;

import dev.sluice.common.peer.Mountpath;
import dev.sluice.common.peer.MountpathChange;
import dev.sluice.targetnode.storage.DriveStats;
import dev.sluice.targetnode.storage.ObjectStore;
import java.util.List;

/// What other nodes ask of this target's drives.
final class MountpathCalls {
    private final ObjectStore store;

    MountpathCalls(ObjectStore store) {
        this.store = store;
    }

    List<Mountpath> all() {
        return store.stats().stream().map(MountpathCalls::shown).toList();
    }

    private static Mountpath shown(DriveStats drive) {
        var status = drive.status();
        return new Mountpath(
                drive.path(),
                drive.id(),
                drive.weight(),
                drive.leaving(),
                status.state().toString(),
                status.reason(),
                status.since().toEpochMilli(),
                drive.errors(),
                drive.probes());
    }

    String change(MountpathChange change, String which) {
        return switch (change) {
            case ENABLE -> {
                store.mountpaths().enable(which);
                yield which + " is enabled";
            }
            case DISABLE -> {
                store.mountpaths().disable(which);
                yield which + " is disabled";
            }
            case ATTACH -> {
                store.mountpaths().attach(which);
                yield which + " is attached";
            }
            case DETACH -> {
                var detached = store.mountpaths().detach(which, false);
                yield "drive %s leaves when its %d objects, %d bytes, are moved"
                        .formatted(
                                detached.id(),
                                detached.known().objects(),
                                detached.known().bytes());
            }
            case DETACH_LOST -> {
                var detached = store.mountpaths().detach(which, true);
                yield "drive %s is declared lost; as far as is known it had %d objects, %d bytes"
                        .formatted(
                                detached.id(),
                                detached.known().objects(),
                                detached.known().bytes());
            }
        };
    }
}
