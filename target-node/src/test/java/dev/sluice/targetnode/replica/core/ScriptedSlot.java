package dev.sluice.targetnode.replica.core;

import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// The replicas of one slot with one key. A test gives them rows and writes; all that follows happens at once and in
/// order, but for the messages and drives that the test holds back. There is no chance and no time.
final class ScriptedSlot {
    static final ObjectKey KEY = new ObjectKey(1, "shard");
    /// What a read of a missing object returns.
    static final String NOTHING = "nothing";
    /// What a read returns that the drive does not answer.
    static final String REFUSED = "refused";

    /// Something on its way to a drive.
    record Sent(String from, String to, Event event) {
        boolean is(Class<? extends Message> kind) {
            return event instanceof Event.Received received && kind.isInstance(received.message());
        }
    }

    private final Set<String> broken;
    private final Map<String, Drive> drives = new TreeMap<>();
    private final ArrayDeque<Sent> sent = new ArrayDeque<>();
    private final List<Sent> all = new ArrayList<>();
    private final List<Sent> held = new ArrayList<>();
    private final Map<ObjectVersion, Long> written = new HashMap<>();
    private final Map<Long, Action.Outcome> outcomes = new HashMap<>();
    private final Set<Proposal> proposals = new HashSet<>();
    private Predicate<Sent> holding = _ -> false;
    private Predicate<Sent> losing = _ -> false;

    ScriptedSlot(Set<String> broken) {
        this.broken = broken;
    }

    static Member inSync(String drive, int incarnation, long since) {
        return new Member(drive, true, incarnation, since);
    }

    static Member learner(String drive, int incarnation, long since) {
        return new Member(drive, false, incarnation, since);
    }

    static SlotRow row(long epoch, long primarySince, Member... members) {
        return new SlotRow(epoch, List.of(members), primarySince, primarySince, List.of(), false);
    }

    // -- processes and drives

    /// A process begins, with what its drive has.
    void start(String id, int incarnation) {
        var drive = drives.computeIfAbsent(id, _ -> new Drive());
        drive.orders.clear();
        drive.hangs = false;
        drive.core = Optional.of(BrokenRules.core(id, incarnation, broken));
        handle(id, new Event.Recovered(List.copyOf(drive.intents.values())));
    }

    /// A process ends.
    void stop(String id) {
        var drive = drive(id);
        drive.core = Optional.empty();
        drive.orders.clear();
    }

    /// A process ends, and its drive loses what was not synced.
    void cutPower(String id) {
        stop(id);
        drive(id).cut();
    }

    /// The index of a stopped process is rebuilt: the drive loses all.
    void wipe(String id) {
        drives.put(id, new Drive());
    }

    /// The drive does nothing until {@link #resume}.
    void hang(String id) {
        drive(id).hangs = true;
    }

    void resume(String id) {
        drive(id).hangs = false;
        run();
    }

    /// The drive stores no more writes.
    void fill(String id) {
        drive(id).full = true;
    }

    // -- messages

    /// Messages that are sent from now on wait for {@link #release}.
    void hold(Predicate<Sent> which) {
        holding = which;
    }

    void release() {
        holding = _ -> false;
        sent.addAll(held);
        held.clear();
        run();
    }

    /// Messages that are sent from now on are lost, until the next call.
    void lose(Predicate<Sent> which) {
        losing = which;
    }

    void loseNothing() {
        losing = _ -> false;
    }

    /// A copy that the network made comes late.
    void deliverAgain(Predicate<Sent> which) {
        all.stream().filter(which).toList().forEach(sent::add);
        run();
    }

    static Predicate<Sent> sentTo(String drive, Class<? extends Message> kind) {
        return message -> message.to().equals(drive) && message.is(kind);
    }

    static Predicate<Sent> sentBy(String drive, Class<? extends Message> kind) {
        return message -> message.from().equals(drive) && message.is(kind);
    }

    // -- what happens, and what comes of it

    /// These drives apply a row.
    void apply(SlotRow row, String... ids) {
        for (var id : ids) {
            handle(id, new Event.RowApplied(row, false));
        }
        run();
    }

    void put(String id, long ticket) {
        handle(id, new Event.Write(ticket, KEY, false));
        run();
    }

    void delete(String id, long ticket) {
        handle(id, new Event.Write(ticket, KEY, true));
        run();
    }

    /// What is unanswered is sent again.
    void tick(String id) {
        handle(id, new Event.Tick());
        run();
    }

    /// What is left of a slot in which the drive has no part goes.
    void purge(String id) {
        handle(id, new Event.Purge());
        run();
    }

    Optional<Action.Outcome> outcome(long ticket) {
        return Optional.ofNullable(outcomes.get(ticket));
    }

    boolean isProposed(Proposal proposal) {
        return proposals.contains(proposal);
    }

    /// The write that a client reads, as `put 1`.
    String read(String id) {
        var drive = drive(id);
        boolean serves = drive.core.filter(core -> core.serving().open()).isPresent();
        return serves ? Optional.ofNullable(drive.rows.get(KEY)).map(this::put).orElse(NOTHING) : REFUSED;
    }

    private String put(ObjectVersion version) {
        return "put " + Objects.requireNonNull(written.get(version));
    }

    /// The drives that have this write, committed or prepared.
    List<String> copies(long ticket) {
        return drives.entrySet().stream()
                .filter(each ->
                        each.getValue().versions().anyMatch(version -> Objects.equals(written.get(version), ticket)))
                .map(Map.Entry::getKey)
                .toList();
    }

    // -- how

    private Drive drive(String id) {
        return Objects.requireNonNull(drives.get(id), id);
    }

    private void run() {
        while (true) {
            var next = Optional.ofNullable(sent.poll());
            if (next.isPresent()) {
                handle(next.get().to(), next.get().event());
                continue;
            }
            var busy = drives.entrySet().stream()
                    .filter(each ->
                            !each.getValue().hangs && !each.getValue().orders.isEmpty())
                    .findFirst();
            if (busy.isEmpty()) {
                return;
            }
            var order = busy.get().getValue().orders.remove();
            boolean done = busy.get().getValue().carryOut(order);
            handle(busy.get().getKey(), done ? new Event.Done(order) : new Event.Failed(order));
        }
    }

    private void handle(String id, Event event) {
        var drive = drive(id);
        drive.core.ifPresent(core -> core.on(event, drive).forEach(action -> carryOut(id, drive, action)));
    }

    private void carryOut(String id, Drive drive, Action action) {
        switch (action) {
            case Action.Send(var to, var message) -> send(id, to, new Event.Received(id, message));
            case Action.Pull(var to, var learning, var key, int _) ->
                send(id, to, new Event.Received(id, new Message.AskRow(learning, key)));
            case Action.SendRow(var to, var learning, var key) ->
                send(id, to, new Event.Pulled(learning, key, drive.row(key)));
            case Action.Propose(var proposal) -> proposals.add(proposal);
            case Action.Accepted(long ticket, var version) -> written.put(version, ticket);
            case Action.Answer(long ticket, var outcome) -> outcomes.put(ticket, outcome);
            case Action.Open _, Action.Close _ -> {}
            case Action.Local order -> drive.orders.add(order);
        }
    }

    private void send(String from, String to, Event event) {
        var message = new Sent(from, to, event);
        all.add(message);
        if (holding.test(message)) {
            held.add(message);
        } else if (!losing.test(message) && drives.containsKey(to)) {
            sent.add(message);
        }
    }

    /// A drive in memory, and what was synced of it.
    private static final class Drive implements SlotContext {
        private Optional<SlotCore> core = Optional.empty();
        private final ArrayDeque<Action.Local> orders = new ArrayDeque<>();
        private final Map<ObjectKey, ObjectVersion> rows = new HashMap<>();
        private final Map<ObjectKey, OpenIntent> intents = new HashMap<>();
        private Map<ObjectKey, ObjectVersion> syncedRows = Map.of();
        private Map<ObjectKey, OpenIntent> syncedIntents = Map.of();
        private boolean hangs;
        private boolean full;
        private int counter;

        private Stream<ObjectVersion> versions() {
            return Stream.concat(
                    rows.values().stream(), intents.values().stream().map(OpenIntent::version));
        }

        private void sync() {
            syncedRows = Map.copyOf(rows);
            syncedIntents = Map.copyOf(intents);
        }

        private void cut() {
            rows.clear();
            rows.putAll(syncedRows);
            intents.clear();
            intents.putAll(syncedIntents);
        }

        private boolean carryOut(Action.Local order) {
            switch (order) {
                case Action.StoreIntent(var intent) -> {
                    if (full) {
                        return false;
                    }
                    intents.put(intent.key(), intent);
                    sync();
                }
                case Action.Settle settle -> {
                    settle(settle);
                    if (settle.sync()) {
                        sync();
                    }
                }
                case Action.DeleteRow(var key, var version) -> rows.remove(key, version);
                case Action.StorePulled pulled -> {
                    rows.put(pulled.key(), pulled.slice().version());
                    intents.values()
                            .removeIf(
                                    open -> open.version().equals(pulled.slice().version()));
                }
                case Action.SyncSlot _ -> sync();
            }
            return true;
        }

        private void settle(Action.Settle settle) {
            var intent = Optional.ofNullable(intents.get(settle.key()))
                    .filter(open -> open.version().equals(settle.version()));
            if (intent.isPresent()) {
                intents.remove(settle.key());
                if (settle.commit() && intent.get().delete()) {
                    rows.remove(settle.key());
                } else if (settle.commit()) {
                    rows.put(settle.key(), settle.version());
                }
            }
        }

        @Override
        public Optional<Slice> row(ObjectKey key) {
            return Optional.ofNullable(rows.get(key)).map(version -> new Slice(version, 0));
        }

        @Override
        public Page page(KeyRange range) {
            var found = rows.entrySet().stream()
                    .map(row -> new KeyVersion(row.getKey(), row.getValue(), 0))
                    .toList();
            return new Page(range, found);
        }

        @Override
        public Comparator<ObjectKey> order() {
            return Comparator.comparing(ObjectKey::key);
        }

        @Override
        public int nextCounter() {
            return ++counter;
        }

        @Override
        public boolean leased() {
            return true;
        }
    }
}
