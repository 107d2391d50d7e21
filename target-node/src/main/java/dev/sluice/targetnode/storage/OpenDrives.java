package dev.sluice.targetnode.storage;

import dev.sluice.targetnode.storage.attach.DriveRefusedException;
import dev.sluice.targetnode.storage.attach.DriveSet;
import dev.sluice.targetnode.storage.drive.Committer;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.DriveSettings;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.files.DriveFullException;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.index.DamagedIndexException;
import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.RocksIndex;
import dev.sluice.targetnode.storage.index.RocksMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A target's attached drives with their open indexes.
final class OpenDrives implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OpenDrives.class);
    private static final Duration SETTLE_AFTER = Duration.ofMillis(500);

    private final DriveSet set;
    private final List<Drive> drives;

    private OpenDrives(DriveSet set, List<Drive> drives) {
        this.set = set;
        this.drives = drives;
    }

    static OpenDrives open(StoreConfig config, UnaryOperator<DriveFiles> seam) throws IOException {
        try (var opener = new DriveThreads("attach", 1, 1)) {
            return DriveThreads.await(opener.start(() -> attach(config, seam)));
        } catch (IOException | RuntimeException failure) {
            throw failure;
        } catch (Exception unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }

    private static OpenDrives attach(StoreConfig config, UnaryOperator<DriveFiles> seam) throws IOException {
        var set = DriveSet.attach(config.cluster(), config.node(), config.drives());
        var opened = new OpenDrives(set, new ArrayList<>());
        boolean complete = false;
        try {
            var settings = new DriveSettings(
                    config.threadsPerDrive(),
                    config.queuePerDrive(),
                    config.reserveBytes(),
                    config.watermarks(),
                    SETTLE_AFTER,
                    config.minutes());
            for (var member : set.members()) {
                var index = index(member.path().resolve(Layout.INDEX), config.indexMemory());
                opened.drives.add(new Drive(member.identity().id(), seam.apply(member.files()), index, settings));
            }
            complete = true;
            return opened;
        } finally {
            if (!complete) {
                opened.close();
            }
        }
    }

    /// An index that cannot be read is put aside; the drive makes another from its files.
    private static DriveIndex index(Path folder, RocksMemory memory) throws IOException {
        try {
            return RocksIndex.open(folder, memory);
        } catch (DriveFullException full) {
            throw new DriveRefusedException(full.getMessage() + ": make some room on its file system");
        } catch (DamagedIndexException damaged) {
            var aside = folder.resolveSibling("index-damaged-" + System.currentTimeMillis());
            LOG.error("{}; it is put aside as {}", damaged.getMessage(), aside);
            Files.move(folder, aside);
            return RocksIndex.open(folder, memory);
        }
    }

    /// Waits for the drives that only have to finish what a crash left; the others become ready by themselves.
    void start(Committer.Alone whenKnown) {
        var started = new ArrayList<CompletableFuture<Void>>();
        for (var drive : drives) {
            boolean isShort = drive.startsAtOnce();
            var start = drive.start(whenKnown);
            if (isShort) {
                started.add(start);
            }
        }
        started.forEach(Drive::awaited);
    }

    List<Drive> drives() {
        return drives;
    }

    List<DriveSet.Member> members() {
        return set.members();
    }

    Map<String, Long> weights() {
        return set.members().getFirst().identity().set();
    }

    @Override
    public void close() {
        drives.forEach(Drive::close);
        set.close();
    }
}
