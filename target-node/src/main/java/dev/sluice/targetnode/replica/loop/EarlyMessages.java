package dev.sluice.targetnode.replica.loop;

import dev.sluice.targetnode.replica.core.Message;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.Slice;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/// Prepared writes and outcomes of an epoch that a drive has not come to yet: who sent them has applied a newer row.
/// They wait for that row, and are handed in right after it, in their order; to the core each is a message that came
/// late. What finds no room, or waits too long, is dropped, and is sent again.
///
/// Of each slot those of the newest epoch wait only. One drive's, and for its loop.
public final class EarlyMessages {
    static final int MOST_OF_A_SLOT = 32;
    static final int ROOM = 4 << 20;
    static final Duration LONGEST = Duration.ofSeconds(2);

    /// What a message takes without its bytes.
    private static final int ENTRY = 256;

    /// A large write keeps a staging file open: it counts as if it had so many bytes in memory.
    private static final int OPEN_FILE = 64 << 10;

    /// A message that may come before its row.
    ///
    /// @param bytes whether an object's bytes wait with it
    /// @param size of what waits, in bytes
    /// @param drop when it is not handed in
    public record Early(long epoch, Slice slice, boolean bytes, int size, Runnable handIn, Runnable drop) {
        /// Of a message without bytes; empty when it is none that may wait.
        public static Optional<Early> of(Message message, Runnable handIn) {
            if (message instanceof Message.Prepare prepare) {
                return Optional.of(plain(prepare.epoch(), prepare.slice(), prepare.key(), handIn));
            }
            return message instanceof Message.Fate fate
                    ? Optional.of(plain(fate.epoch(), new Slice(fate.version(), Slice.NONE), fate.key(), handIn))
                    : Optional.empty();
        }

        private static Early plain(long epoch, Slice slice, ObjectKey key, Runnable handIn) {
            return new Early(epoch, slice, false, key.key().length(), handIn, () -> {});
        }

        /// Of a prepared write whose bytes are here.
        public static Early withBytes(
                Message.Prepare prepare, Envelope.Attached attached, Runnable handIn, Runnable drop) {
            int content = attached.content().map(bytes -> bytes.length).orElse(OPEN_FILE);
            int size = prepare.key().key().length() + attached.record().length + content;
            return new Early(prepare.epoch(), prepare.slice(), true, size, handIn, drop);
        }
    }

    private record Waiting(Early message, long until) {}

    private final Map<LocalReplica, ArrayDeque<Waiting>> slots = new HashMap<>();
    private final AtomicLong kept = new AtomicLong();
    private int bytes;

    /// How many have waited so far. On any thread.
    public long kept() {
        return kept.get();
    }

    /// @return false when it is not early: it is to be handed in now
    public boolean keep(LocalReplica replica, Early message, long now) {
        if (message.epoch() <= replica.core().epoch()) {
            return false;
        }
        long newest = slots.containsKey(replica) ? epoch(replica) : 0;
        if (message.epoch() > newest) {
            dropAll(replica);
        }
        var waiting = slots.computeIfAbsent(replica, _ -> new ArrayDeque<>());
        int size = size(message);
        if (message.epoch() < newest || waiting.size() >= MOST_OF_A_SLOT || bytes + size > ROOM) {
            message.drop.run();
        } else {
            waiting.addLast(new Waiting(message, now + LONGEST.toNanos()));
            bytes += size;
            kept.incrementAndGet();
        }
        forgetIfEmpty(replica);
        return true;
    }

    /// The same write was sent again in a newer epoch, and its bytes are here: the message that waits with them gives
    /// them to the newer one.
    ///
    /// @return whether there was one
    public boolean replaces(LocalReplica replica, long epoch, Slice slice) {
        var waiting = slots.getOrDefault(replica, new ArrayDeque<>());
        for (var each : waiting) {
            if (each.message.bytes() && each.message.slice().equals(slice) && each.message.epoch() < epoch) {
                waiting.remove(each);
                bytes -= size(each.message);
                forgetIfEmpty(replica);
                return true;
            }
        }
        return false;
    }

    /// The drive has come to a newer row of the slot.
    public void applied(LocalReplica replica) {
        long now = replica.core().epoch();
        if (!slots.containsKey(replica) || epoch(replica) > now) {
            return;
        }
        if (epoch(replica) < now) {
            dropAll(replica);
        } else {
            for (var each : takeAll(replica)) {
                each.handIn.run();
            }
        }
    }

    /// Drops what has waited too long.
    public void tick(long now) {
        for (var replica : List.copyOf(slots.keySet())) {
            var waiting = slots.get(replica);
            while (waiting != null && !waiting.isEmpty() && waiting.getFirst().until - now <= 0) {
                var late = waiting.removeFirst().message;
                bytes -= size(late);
                late.drop.run();
            }
            forgetIfEmpty(replica);
        }
    }

    private long epoch(LocalReplica replica) {
        return slots.getOrDefault(replica, new ArrayDeque<>())
                .getFirst()
                .message
                .epoch();
    }

    private void dropAll(LocalReplica replica) {
        takeAll(replica).forEach(message -> message.drop.run());
    }

    private List<Early> takeAll(LocalReplica replica) {
        var taken = new ArrayList<Early>();
        var waiting = slots.remove(replica);
        if (waiting != null) {
            waiting.forEach(each -> taken.add(each.message));
        }
        taken.forEach(message -> bytes -= size(message));
        return taken;
    }

    private void forgetIfEmpty(LocalReplica replica) {
        var waiting = slots.get(replica);
        if (waiting != null && waiting.isEmpty()) {
            slots.remove(replica);
        }
    }

    private static int size(Early message) {
        return ENTRY + message.size();
    }
}
