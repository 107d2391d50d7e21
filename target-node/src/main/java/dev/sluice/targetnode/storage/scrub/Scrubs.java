package dev.sluice.targetnode.storage.scrub;

import dev.sluice.common.peer.DriveScrub;
import dev.sluice.common.peer.ScrubCommand;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.KeyCommitter;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.pace.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// The scrubs of a target's drives, whether they are open or not. To be closed before the drives are.
public final class Scrubs implements AutoCloseable {
    private final Function<Member, Scrubber> scrubber;
    private final ExecutorService repairs;
    private volatile List<Scrubber> scrubbers = List.of();
    private boolean closed;

    /// A drive's place.
    ///
    /// @param path the folder an operator knows it by
    /// @param drive the drive while it serves; throws Unavailable with the reason when it does not
    /// @param disabled whether an operator has taken it out of use
    public record Member(String id, String path, Supplier<Drive> drive, BooleanSupplier disabled) {}

    private Scrubs(Function<Member, Scrubber> scrubber, ExecutorService repairs) {
        this.scrubber = scrubber;
        this.repairs = repairs;
    }

    /// Of no drive yet.
    public static Scrubs of(KeyCommitter committer, ScrubSettings settings, KnownBuckets buckets, Repair repair) {
        return of(committer, settings, buckets, repair, Clock.SYSTEM);
    }

    static Scrubs of(KeyCommitter committer, ScrubSettings settings, KnownBuckets buckets, Repair repair, Clock ticks) {
        var repairs = Executors.newVirtualThreadPerTaskExecutor();
        return new Scrubs(
                member -> new Scrubber(member, committer, settings, buckets, repair, repairs, ticks), repairs);
    }

    /// Scrubs these drives from now on, and lets go of all others before it returns.
    public synchronized void use(List<Member> drives) {
        var before = new ArrayList<>(scrubbers);
        var now = new ArrayList<Scrubber>();
        if (!closed) {
            for (var drive : drives) {
                var known = before.stream()
                        .filter(each -> each.driveId().equals(drive.id()))
                        .findFirst();
                known.ifPresent(before::remove);
                now.add(known.orElseGet(() -> begun(drive)));
            }
        }
        scrubbers = List.copyOf(now);
        before.forEach(Scrubber::close);
    }

    private Scrubber begun(Member drive) {
        var fresh = scrubber.apply(drive);
        fresh.start();
        return fresh;
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
        if (meant.isEmpty() && command.drive().isPresent()) {
            throw new StoreException.InvalidArgument("There is no drive '%s' here: %s"
                    .formatted(
                            command.drive().get(),
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
    public long readInAll(String path) {
        return scrubbers.stream()
                .filter(each -> each.path().equals(path))
                .mapToLong(Scrubber::readInAll)
                .sum();
    }

    @Override
    public synchronized void close() {
        closed = true;
        repairs.shutdownNow();
        use(List.of());
        repairs.close();
    }
}
