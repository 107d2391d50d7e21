package dev.sluice.targetnode.storage.scrub;

import dev.sluice.common.peer.DriveScrub;
import dev.sluice.common.peer.ScrubCommand;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.Shelf;
import dev.sluice.targetnode.storage.drive.Drive;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// The scrubs of a target's drives, whether they are open or not. To be closed before the drives are.
public final class Scrubs implements AutoCloseable {
    private final List<Scrubber> scrubbers;
    private final ExecutorService repairs;

    /// A drive's place.
    ///
    /// @param path the folder an operator knows it by
    /// @param drive the drive while it serves; throws Unavailable with the reason when it does not
    public record Member(String id, String path, Supplier<Drive> drive) {}

    private Scrubs(List<Scrubber> scrubbers, ExecutorService repairs) {
        this.scrubbers = scrubbers;
        this.repairs = repairs;
    }

    public static Scrubs start(
            List<Member> drives, Shelf shelf, ScrubSettings settings, KnownBuckets buckets, Repair repair) {
        return start(drives, shelf, settings, buckets, repair, Ticks.SYSTEM);
    }

    static Scrubs start(
            List<Member> drives,
            Shelf shelf,
            ScrubSettings settings,
            KnownBuckets buckets,
            Repair repair,
            Ticks ticks) {
        var repairs = Executors.newVirtualThreadPerTaskExecutor();
        var scrubbers = drives.stream()
                .map(each -> new Scrubber(each, shelf, settings, buckets, repair, repairs, ticks))
                .toList();
        scrubbers.forEach(Scrubber::start);
        return new Scrubs(scrubbers, repairs);
    }

    /// Does what an operator asks, and tells how the drives that are meant stand then.
    ///
    /// @throws StoreException.InvalidArgument when there is no such drive
    /// @throws StoreException.Unavailable when no drive that is meant is ready; of several, those do it that are
    public List<DriveScrub> obey(ScrubCommand command) {
        var meant = scrubbers.stream()
                .filter(each -> command.drive()
                        .map(name -> name.equals(each.path()) || name.equals(each.driveId()))
                        .orElse(true))
                .toList();
        if (meant.isEmpty()) {
            throw new StoreException.InvalidArgument("There is no drive '%s' here: %s"
                    .formatted(
                            command.drive().orElse(""),
                            scrubbers.stream().map(Scrubber::path).toList()));
        }
        switch (command.action()) {
            case START ->
                requireOne(meant, each -> each.demand(command.mibPerSecond().orElse(0L) << 20));
            case STOP -> requireOne(meant, Scrubber::stop);
            case STATUS -> {}
        }
        return meant.stream().map(Scrubber::status).toList();
    }

    private static void requireOne(List<Scrubber> meant, Predicate<Scrubber> order) {
        boolean any = false;
        for (var each : meant) {
            any |= order.test(each);
        }
        if (!any) {
            throw new StoreException.Unavailable(
                    "not ready: " + meant.stream().map(Scrubber::path).toList());
        }
    }

    /// Bytes read from a drive since the start of this process.
    public long readInAll(String driveId) {
        return scrubbers.stream()
                .filter(each -> each.driveId().equals(driveId))
                .mapToLong(Scrubber::readInAll)
                .sum();
    }

    @Override
    public void close() {
        repairs.shutdownNow();
        scrubbers.forEach(Scrubber::close);
        repairs.close();
    }
}
