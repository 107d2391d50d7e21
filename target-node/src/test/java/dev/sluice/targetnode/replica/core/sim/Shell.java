package dev.sluice.targetnode.replica.core.sim;

import static dev.sluice.targetnode.replica.core.sim.LogState.where;

import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.targetnode.replica.core.Action;
import dev.sluice.targetnode.replica.core.BrokenRules;
import dev.sluice.targetnode.replica.core.Event;
import dev.sluice.targetnode.replica.core.KeyRange;
import dev.sluice.targetnode.replica.core.Learning;
import dev.sluice.targetnode.replica.core.Message;
import dev.sluice.targetnode.replica.core.OpenIntent;
import dev.sluice.targetnode.replica.core.Page;
import dev.sluice.targetnode.replica.core.Proposal;
import dev.sluice.targetnode.replica.core.Serving;
import dev.sluice.targetnode.replica.core.SlotContext;
import dev.sluice.targetnode.replica.core.SlotCore;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.Slice;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// The cores of one target process, and what they order.
final class Shell {
    private record SlotDrive(int slot, String drive) {}

    private record Asked(SlotDrive core, Learning learning, ObjectKey key) {}

    private record PullUnderWay(int number, int position) {}

    private static final double PULL_TIMEOUT = 900;

    private final Target target;
    private final Sim sim;
    private final Map<SlotDrive, SlotCore> cores = new LinkedHashMap<>();
    private final Map<Asked, PullUnderWay> pulls = new HashMap<>();
    private final Map<String, Integer> knownLives = new HashMap<>();
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private int counter;
    private int pullNumber;

    Shell(Target target) {
        this.target = target;
        this.sim = target.sim;
    }

    // -- what others ask

    Optional<String> serving(int slot) {
        return target.disks.values().stream()
                .filter(disk -> disk.alive && primacy(slot, disk.id).open() && target.leased(disk))
                .map(disk -> disk.id)
                .findFirst();
    }

    /// How many positions the in-sync members have, as far as the drive knows.
    int positions(int slot, String drive) {
        var core = cores.get(new SlotDrive(slot, drive));
        return core == null ? 0 : core.positions();
    }

    Serving primacy(int slot, String drive) {
        var core = cores.get(new SlotDrive(slot, drive));
        return core == null ? Serving.NONE : core.serving();
    }

    /// Whether an in-sync member has another incarnation than when it became known.
    boolean isNewLife(int slot, Member member) {
        var known = knownLives.putIfAbsent(slot + "/" + member.drive(), member.incarnation());
        return known != null && known != member.incarnation();
    }

    /// A drive has left.
    void forget(String drive) {
        cores.keySet().removeIf(at -> at.drive().equals(drive));
        pulls.keySet().removeIf(asked -> asked.core().drive().equals(drive));
    }

    // -- events

    void apply(int slot, SlotRow row, boolean surplus) {
        for (var disk : List.copyOf(target.disks.values())) {
            var at = new SlotDrive(slot, disk.id);
            if (disk.alive && (row.member(disk.id).isPresent() || cores.containsKey(at))) {
                on(at, new Event.RowApplied(row, surplus));
            }
        }
    }

    void tick() {
        for (var at : List.copyOf(cores.keySet())) {
            if (Known.of(cores, at).waits()) {
                on(at, new Event.Tick());
            }
            if (sim.purges() && cores.containsKey(at) && isLeftover(at, Known.of(cores, at))) {
                on(at, new Event.Purge());
            }
        }
    }

    /// The other drives of the slot are whole without it.
    private boolean isLeftover(SlotDrive at, SlotCore core) {
        return core.hasNoPart()
                && !core.isPurged()
                && target.view
                        .filter(state -> state.row(at.slot()).epoch() == core.epoch() && state.isWhole(at.slot()))
                        .isPresent();
    }

    void write(int slot, String drive, long ticket, ObjectKey key, boolean delete) {
        on(new SlotDrive(slot, drive), new Event.Write(ticket, key, delete));
    }

    /// @param bytes of a prepare that stores an object; else empty
    private void receive(int slot, String drive, String from, Message message, String bytes) {
        var disk = target.disks.get(drive);
        if (disk == null || !disk.alive || disk.incarnation == 0) {
            return;
        }
        var at = new SlotDrive(slot, drive);
        var received = new Event.Received(from, message);
        if (message instanceof Message.Prepare prepare) {
            disk.staged.put(prepare.version(), bytes);
            if (sim.data() > 1 && !prepare.delete() && target.view.isPresent()) {
                target.slices.take(slot, disk, prepare, bytes, () -> on(at, received));
                return;
            }
        }
        on(at, received);
    }

    /// One event after the other: an action of one may cause the next.
    private void on(SlotDrive at, Event event) {
        var disk = target.disks.get(at.drive());
        if (disk != null && disk.hangs) {
            int life = target.life;
            disk.run(() -> {
                if (target.life == life && target.isUp()) {
                    on(at, event);
                }
            });
            return;
        }
        waiting.add(() -> handle(at, event));
        if (waiting.size() == 1) {
            while (!waiting.isEmpty()) {
                waiting.peek().run();
                waiting.remove();
            }
        }
    }

    private void handle(SlotDrive at, Event event) {
        var disk = Objects.requireNonNull(target.disks.get(at.drive()));
        if (!disk.alive || disk.incarnation == 0) {
            return;
        }
        var core = cores.get(at);
        if (core == null) {
            core = BrokenRules.core(at.drive(), disk.incarnation, sim.broken());
            cores.put(at, core);
            var recovered = new Event.Recovered(disk.store.intents(at.slot()));
            carryOut(at, disk, core.on(recovered, new Context(at.slot(), disk)));
            if (target.view.isPresent() && !(event instanceof Event.RowApplied) && !sim.production()) {
                var state = target.view.get();
                handle(at, new Event.RowApplied(state.row(at.slot()), state.surplus(at.slot())));
            }
        }
        carryOut(at, disk, core.on(event, new Context(at.slot(), disk)));
    }

    /// What a core may ask.
    private final class Context implements SlotContext {
        private final int slot;
        private final Disk disk;

        Context(int slot, Disk disk) {
            this.slot = slot;
            this.disk = disk;
        }

        @Override
        public Optional<Slice> row(ObjectKey key) {
            return disk.store.row(key).map(Store.Row::slice);
        }

        @Override
        public Page page(KeyRange range) {
            return disk.store.page(slot, range, sim.pageSize());
        }

        @Override
        public Comparator<ObjectKey> order() {
            return MemoryStore.ORDER;
        }

        @Override
        public int nextCounter() {
            return ++counter;
        }

        @Override
        public boolean leased() {
            return target.leased(disk) && disk.alive && !disk.ended;
        }
    }

    // -- actions

    private void carryOut(SlotDrive at, Disk disk, List<Action> actions) {
        for (var action : actions) {
            switch (action) {
                case Action.Send(var to, var message) -> send(at, disk, to, message);
                case Action.Pull pull -> pull(at, disk, pull);
                case Action.SendRow row -> sendRow(at, disk, row);
                case Action.Propose(Proposal.Expel expel)
                when sim.data() > 1 ->
                    target.view.ifPresent(state -> target.askToExpel(at.slot(), expel, state.row(at.slot())));
                case Action.Propose(var proposal) -> sim.log().propose(new Entry.OfSlot(at.slot(), proposal), target);
                case Action.Accepted(long ticket, var version) ->
                    disk.staged.put(version, target.gateway.bytes(ticket));
                case Action.Answer(long ticket, var outcome) -> target.gateway.ended(ticket, outcome);
                case Action.Open(var serving) -> {
                    sim.trace("%s opens slot %d %s", at.drive(), at.slot(), serving);
                    sim.checks().onePrimary(at.slot(), target);
                }
                case Action.Close() -> sim.trace("%s closes slot %d", at.drive(), at.slot());
                case Action.Local local -> order(at, disk, local);
            }
        }
    }

    private void send(SlotDrive at, Disk disk, String to, Message message) {
        int slot = at.slot();
        var bytes = message instanceof Message.Prepare prepare ? disk.staged.getOrDefault(prepare.version(), "") : "";
        sim.network().toTarget(target.id, where(to), node -> node.shell.receive(slot, to, at.drive(), message, bytes));
    }

    private void pull(SlotDrive at, Disk disk, Action.Pull pull) {
        var asked = new Asked(at, pull.learning(), pull.key());
        int number = ++pullNumber;
        pulls.put(asked, new PullUnderWay(number, pull.position()));
        send(at, disk, pull.drive(), new Message.AskRow(pull.learning(), pull.key()));
        target.after(PULL_TIMEOUT, () -> {
            if (pulls.containsKey(asked) && Known.of(pulls, asked).number() == number) {
                pulls.remove(asked);
                on(at, new Event.PullFailed(pull.learning(), pull.key()));
            }
        });
    }

    /// Large ones take long.
    private void sendRow(SlotDrive at, Disk disk, Action.SendRow send) {
        var row = disk.store.row(send.key());
        double delay = new double[] {1, 30, 500}[sim.random().nextInt(3)];
        target.after(
                delay,
                () -> sim.network()
                        .toTarget(
                                target.id,
                                where(send.drive()),
                                node -> node.shell.pulled(
                                        new SlotDrive(at.slot(), send.drive()), send.learning(), send.key(), row)));
    }

    private void pulled(SlotDrive at, Learning learning, ObjectKey key, Optional<Store.Row> row) {
        var disk = target.disks.get(at.drive());
        if (disk == null || !disk.alive || disk.incarnation == 0) {
            return;
        }
        row.ifPresent(found -> disk.staged.put(found.version(), found.value()));
        var asked = new Asked(at, learning, key);
        if (sim.data() == 1 || row.isEmpty()) {
            pulls.remove(asked);
            on(at, new Event.Pulled(learning, key, row.map(Store.Row::slice)));
        } else if (pulls.containsKey(asked)) {
            int position = Known.of(pulls, asked).position();
            target.slices.pull(at.slot(), disk, key, row.get(), position, slice -> {
                pulls.remove(asked);
                on(at, new Event.Pulled(learning, key, Optional.of(slice)));
            });
        }
    }

    /// A drive does one thing after the other; syncs take longer, and are answered out of order.
    private void order(SlotDrive at, Disk disk, Action.Local action) {
        if (action instanceof Action.Settle settle
                && settle.then().orElse(new Action.Close())
                        instanceof Action.Answer(long ticket, Action.Outcome outcome)
                && outcome == Action.Outcome.COMMITTED) {
            if (sim.data() == 1 || positions(at.slot(), at.drive()) >= sim.floor()) {
                sim.checks()
                        .acknowledged(
                                target, at.slot(), settle.key(), settle.version(), target.gateway.isDelete(ticket));
            } else {
                target.gateway.isShort(ticket);
            }
        }
        disk.busyUntil = Math.max(disk.busyUntil, sim.now()) + sim.driveDelay(.3);
        int life = disk.life;
        disk.ordered++;
        whenItGoes(disk, life, disk.busyUntil - sim.now(), () -> {
            if (!carryOut(disk, action)) {
                done(at, disk, new Event.Failed(action));
            } else if (needsSync(action) && !sim.os()) {
                whenItGoes(disk, life, sim.driveDelay(6), () -> {
                    disk.store.sync();
                    done(at, disk, new Event.Done(action));
                });
            } else {
                done(at, disk, new Event.Done(action));
            }
        });
    }

    private void whenItGoes(Disk disk, int life, double delay, Runnable step) {
        target.after(
                delay,
                () -> disk.run(() -> {
                    if (disk.alive && disk.life == life) {
                        step.run();
                    }
                }));
    }

    /// A loop that has ended hears nothing of it.
    private void done(SlotDrive at, Disk disk, Event event) {
        disk.ordered--;
        if (!disk.ended) {
            on(at, event);
        }
    }

    private static boolean needsSync(Action.Local action) {
        return switch (action) {
            case Action.StoreIntent _, Action.SyncSlot _ -> true;
            case Action.Settle settle -> settle.sync();
            case Action.DeleteRow _, Action.StorePulled _ -> false;
        };
    }

    /// Whether its slice is not staged.
    private boolean lacks(Disk disk, OpenIntent intent, String value) {
        return sim.data() > 1
                && !intent.delete()
                && !Integer.valueOf(intent.position()).equals(disk.slices.get(value));
    }

    private boolean carryOut(Disk disk, Action.Local action) {
        var store = disk.store;
        switch (action) {
            case Action.StoreIntent(var intent) -> {
                var value = disk.staged.getOrDefault(intent.version(), "");
                if (disk.full || disk.refusing.remove(intent.slice()) || lacks(disk, intent, value)) {
                    return false;
                }
                store.prepare(
                        intent.key(), new Store.Intent(intent.version(), intent.delete(), value, intent.position()));
            }
            case Action.Settle settle -> {
                if (store.settle(settle.key(), settle.version(), settle.commit())) {
                    sim.checks().deleted(settle.key(), settle.version());
                }
            }
            case Action.DeleteRow(var key, var version) -> store.deleteRow(key, version);
            case Action.StorePulled pulled -> {
                if (disk.full) {
                    return false;
                }
                var version = pulled.slice().version();
                var value = Objects.requireNonNull(disk.staged.get(version));
                store.put(
                        pulled.key(),
                        new Store.Row(version, value, pulled.slice().position()));
            }
            case Action.SyncSlot _ -> {}
        }
        return true;
    }
}
