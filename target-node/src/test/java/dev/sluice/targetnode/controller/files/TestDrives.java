package dev.sluice.targetnode.controller.files;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// Drives of a controller, each known by the name of its folder.
public final class TestDrives implements StateDrives {
    private final List<StateDrive> drives = new ArrayList<>();
    private final Set<String> lost = new TreeSet<>();

    public static TestDrives at(Path... folders) {
        var drives = new TestDrives();
        for (var folder : folders) {
            drives.add(folder);
        }
        return drives;
    }

    public void add(Path folder) {
        drives.add(drive(folder, true));
    }

    private static StateDrive drive(Path folder, boolean keeps) {
        return new StateDrive(folder.getFileName().toString(), folder, keeps, () -> {});
    }

    /// The drive is to go, or is not.
    public void keep(String id, boolean keeps) {
        drives.replaceAll(drive -> drive.id().equals(id) ? drive(drive.path(), keeps) : drive);
    }

    public void remove(String id) {
        drives.removeIf(drive -> drive.id().equals(id));
    }

    TestDrives lose(String id) {
        lost.add(id);
        return this;
    }

    @Override
    public List<StateDrive> now() {
        return List.copyOf(drives);
    }

    @Override
    public Set<String> lost() {
        return Set.copyOf(lost);
    }
}
