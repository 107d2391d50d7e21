package dev.sluice.targetnode.controller.log;

import dev.sluice.common.cluster.AdoptState;
import dev.sluice.common.cluster.Change;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.LogEntry;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.files.StateDrive;
import dev.sluice.targetnode.controller.files.StateDrives;
import dev.sluice.targetnode.controller.raft.LogId;
import dev.sluice.targetnode.controller.raft.RaftCalls;
import dev.sluice.targetnode.controller.raft.RaftHandler;
import dev.sluice.targetnode.storage.files.DriveThread;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The log of three controllers, as one of them has it: its Raft server is found on a drive, begun, or joined, and
/// replaced by one with another id when it was lost.
///
/// A log begins with one server, of the controller with the lowest id, after both others said that they have none. The
/// others make a server when they hear of a leader, which adds it; nothing is on their drives before.
public final class ControllerLog implements Consensus {
    private static final Logger LOG = LoggerFactory.getLogger(ControllerLog.class);
    private static final Duration STEP = Duration.ofMillis(100);
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(30);

    /// Ratis takes no commands while it hands over.
    private static final Duration HAND_OVER = Duration.ofMillis(600);

    private static final Duration HAND_OVER_AGAIN = Duration.ofSeconds(10);

    /// For so long a controller says that it wishes to leave, before it does.
    private static final Duration WISH = HeardLogServers.FRESH.plusSeconds(1);

    /// To a person.
    private static final String REPLACED = "this log was replaced by `cluster recover`: restart this node";

    private record Server(LogServerFolder folder, RaftLog log) {}

    private record Ending(StateDrive drive, Thread thread) {}

    private final NodeId self;
    private final SortedSet<NodeId> controllers;
    private final LogServerFolders folders;
    private final RaftCalls calls;
    private final HeardLogServers heard = new HeardLogServers();
    private final Thread thread;
    private volatile Optional<Server> open = Optional.empty();
    private volatile LogServer.Holding holding = LogServer.Holding.UNKNOWN;
    private volatile Optional<String> trouble = Optional.empty();
    private volatile boolean hasNoLoneState;
    private volatile boolean closed;
    private boolean begun;
    private volatile boolean replaced;
    private volatile Optional<NodeId> successor = Optional.empty();
    private final List<Ending> endings = new ArrayList<>();
    private long handedOver = System.nanoTime() - HAND_OVER_AGAIN.toNanos();
    private int handOvers;
    private Follower follower = (_, _) -> {};
    private long told = -1;
    private long cleared = System.nanoTime() - LOOK_AGAIN.toNanos();
    private String complaint = "";
    private volatile Optional<Long> wishesSince = Optional.empty();
    private final Set<String> left = new HashSet<>(); // servers that left their drives

    private final Set<String> warned = new HashSet<>();
    private final Set<String> forsaken = new HashSet<>(); // servers that are not opened while another log is led
    private final Map<LogId, Long> inTouch = new HashMap<>(); // with each log that has a folder here: when last

    public ControllerLog(NodeId self, SortedSet<NodeId> controllers, StateDrives drives, RaftCalls calls) {
        this.self = self;
        this.controllers = new TreeSet<>(controllers);
        this.folders = new LogServerFolders(drives, self);
        this.calls = calls;
        this.thread = new DriveThread(this::stepForEver, "seat " + self);
    }

    public void start() {
        thread.start();
    }

    // ---- what it says and hears

    @Override
    public LogServer seat() {
        return current()
                .map(server -> server.log().seat())
                .orElseGet(() -> new LogServer(Optional.empty(), Optional.empty(), holding, Optional.empty(), 0, false))
                .with(wishesSince.isPresent(), heard.barred());
    }

    /// The open server, but none of a log that was replaced: that neither votes nor leads, from the moment when this
    /// is heard.
    private Optional<Server> current() {
        return open.filter(server -> !heard.isBarred(server.folder().logId()));
    }

    @Override
    public void heard(NodeId controller, LogServer seat) {
        if (!controller.equals(self)) { // another cluster may have one of the same name
            heard.heard(controller, seat);
        }
    }

    private boolean othersHaveNone() {
        return heard.haveNone(
                controllers.stream().filter(each -> !each.equals(self)).toList());
    }

    /// Where calls of other servers go; empty while there is no server.
    public Optional<RaftHandler> handler() {
        return current().map(server -> server.log().handler());
    }

    /// The servers of the log, as far as this controller knows; none while they change.
    public Set<String> members() {
        return current()
                .map(Server::log)
                .filter(log -> !log.isChanging())
                .map(RaftLog::members)
                .orElse(Set.of());
    }

    /// What keeps this controller out, for a person.
    public Optional<String> trouble() {
        return trouble;
    }

    // ---- the log

    private RaftLog log() {
        return current()
                .map(Server::log)
                .orElseThrow(() -> new StoreException.NotLeader(
                        self + " has no part of the controllers' log"
                                + trouble.map(why -> ": " + why).orElse(""),
                        heard.leader().map(NodeId::value)));
    }

    @Override
    public Optional<ClusterState> snapshot() {
        return current().flatMap(server -> server.log().snapshot());
    }

    @Override
    public synchronized void begins() {
        if (replaced) {
            throw new StoreException.Unavailable(self + " as a controller: " + REPLACED);
        }
        begun = true;
    }

    @Override
    public boolean isReplaced() {
        return replaced || open.filter(server -> current().isEmpty()).isPresent();
    }

    @Override
    public boolean mayFound() {
        return hasNoLoneState && seat().leads() && snapshot().isEmpty();
    }

    @Override
    public void requireUsable() {
        log().requireUsable();
    }

    @Override
    public boolean propose(LogEntry entry) {
        return log().propose(entry);
    }

    @Override
    public synchronized void follow(Follower next) {
        follower = next;
        snapshot().ifPresent(state -> tell(List.of(), state));
    }

    /// A server that begins again tells what was told before.
    private synchronized void tell(List<Change> changes, ClusterState state) {
        if (state.version() > told) {
            told = state.version();
            follower.applied(changes, state);
        }
    }

    @Override
    public boolean isKeptOn(String drive) {
        return open.filter(server -> server.folder().drive().id().equals(drive)).isPresent();
    }

    @Override
    public void handOver(NodeId next) {
        successor = Optional.of(next);
    }

    // ---- its place

    private void stepForEver() {
        while (!closed) {
            try {
                step();
                complaint = "";
            } catch (IOException | StoreException why) {
                complain(why);
            } catch (RuntimeException bug) {
                LOG.error("{} cannot take its place among the controllers: a bug", self, bug);
            }
            LockSupport.parkNanos(STEP.toNanos());
        }
    }

    private void complain(Exception why) {
        var now = String.valueOf(why.getMessage());
        if (open.isEmpty()) {
            trouble = Optional.of(now);
        }
        if (!now.equals(complaint) && !closed) {
            LOG.warn("{} as a controller: {}", self, now);
            complaint = now; // once for each outage
        }
    }

    /// What is due now.
    private void step() throws IOException {
        if (open.isPresent() && current().isEmpty()) {
            endReplaced(open.get());
        }
        if (replaced) {
            trouble = Optional.of(REPLACED); // no other one has effect until a restart
            return;
        }
        if (open.isPresent() && (!mayGoOn(open.get()) || isForsaken(open.get()))) {
            endServer();
        }
        if (open.isEmpty()) {
            takePlace();
        }
        if (open.isPresent() && !open.get().folder().barred().containsAll(heard.barred())) {
            keepBarred(open.get());
        }
        if (open.isPresent() && !closed) {
            adopt();
            if (seat().leads() && snapshot().isPresent()) {
                handOver(open.get());
            }
            if (open.isPresent() && seat().leads() && snapshot().isPresent()) {
                changeServers(open.get());
            }
            open.ifPresent(this::warnOfOtherLogs);
        }
    }

    private boolean mayGoOn(Server server) {
        if (!server.log().isOpen()) {
            return false;
        }
        boolean wishes = !folders.mayKeep(server.folder().drive().id())
                && !server.log().isLeader() // it hands over first
                && heard.isLed(server.folder().logId())
                && folders.place().isPresent();
        long now = System.nanoTime();
        wishesSince = wishes ? wishesSince.or(() -> Optional.of(now)) : Optional.empty();
        boolean leaves =
                wishesSince.filter(since -> now - since >= WISH.toNanos()).isPresent() && isSpare(server);
        if (leaves) {
            left.add(server.folder().server());
        }
        return !leaves;
    }

    /// Whether the log goes on without this server until another one is in its place: each other controller has a
    /// server that counts, and none with a lower id wishes to leave too. What one wishes is said for longer than
    /// what others say counts: so no two leave at once, and there is always a majority to replace one.
    private boolean isSpare(Server server) {
        var members = server.log().members();
        var others = heard.of(server.folder().logId());
        return controllers.stream()
                .filter(each -> !each.equals(self))
                .allMatch(each -> Optional.ofNullable(others.get(each))
                        .filter(seat -> seat.server().filter(members::contains).isPresent())
                        .filter(seat -> !seat.leaving() || each.compareTo(self) > 0)
                        .isPresent());
    }

    /// It hears nothing of its log, but of another one, in which this controller can take part: its folder is of an
    /// earlier life of the cluster, or of another cluster, and it would be alone for good.
    private boolean isForsaken(Server server) {
        var log = server.folder().logId();
        boolean leaves = isSilent(log) && (heard.isAnotherLed(log) || hasFolderOfAnother(log));
        if (leaves) {
            forsaken.add(server.folder().server());
        }
        return leaves;
    }

    /// Nothing was heard of it for long, since this was first asked: not from a leader, nor from others.
    private boolean isSilent(LogId log) {
        long now = System.nanoTime();
        boolean isLedHere = open.filter(here -> here.folder().logId().equals(log))
                .filter(ControllerLog::isLed)
                .isPresent();
        if (isLedHere || !heard.of(log).isEmpty()) {
            inTouch.put(log, now);
        }
        return now - inTouch.computeIfAbsent(log, _ -> now) > HeardLogServers.FRESH.toNanos();
    }

    private static boolean isLed(Server server) {
        return server.log().leader().isPresent()
                && server.log().members().contains(server.folder().server());
    }

    private boolean hasFolderOfAnother(LogId log) {
        return !heard.notOf(log).isEmpty()
                && folders.find().whole().stream()
                        .anyMatch(folder -> !folder.logId().equals(log) && isNamed(folder));
    }

    /// Whether another controller has a server of the same log.
    private boolean isNamed(LogServerFolder folder) {
        return !heard.of(folder.logId()).isEmpty();
    }

    /// Neither adds the other's server, nor ends its own while its log goes on.
    private void warnOfOtherLogs(Server here) {
        var log = here.folder().logId();
        var why = heard.notOf(log).entrySet().stream()
                .findFirst()
                .map(other -> otherLog(other.getKey(), other.getValue().log().orElseThrow(), log));
        why.filter(warned::add).ifPresent(LOG::warn);
        trouble = why.or(() -> here.log().trouble()).filter(_ -> !isLed(here));
    }

    private String otherLog(NodeId other, LogId its, LogId own) {
        return "%s has a server of the log %s, %s one of the log %s, and neither is added to the other. "
                        .formatted(other, its, self, own)
                + "If it stays so, two clusters name each other's targets: correct `cluster.nodes`";
    }

    /// Its log was replaced by another one. What this process told others of may never have been, so that it takes part
    /// in the other one after a restart; if it told nobody yet, now.
    private void endReplaced(Server here) throws IOException {
        synchronized (this) {
            replaced = begun;
        }
        LOG.warn(
                "{} as a controller: the log {} was replaced by `cluster recover`{}",
                self,
                here.folder().logId(),
                replaced ? ": restart this node" : "");
        endServer();
        here.folder().barring(heard.barred()).write(); // else the next start opens it again, until it hears
    }

    /// What was heard of since its folder was made.
    private void keepBarred(Server here) {
        try {
            var folder = here.folder().barring(heard.barred());
            folder.write();
            open = Optional.of(new Server(folder, here.log()));
        } catch (IOException failed) { // it is heard of again after a restart
            LOG.warn("{} cannot note which logs are barred", here.folder().log(), failed);
        }
    }

    private void endServer() throws IOException {
        var server = open.orElseThrow();
        LOG.warn(
                "{} ends as {}, on {}",
                self,
                server.folder().server(),
                server.folder().drive());
        open = Optional.empty();
        var thread = Thread.ofPlatform()
                .name("end " + server.folder().server())
                .daemon()
                .start(server.log()::close); // may hang
        endings.add(new Ending(server.folder().drive(), thread));
    }

    /// A server of before may still write there.
    private boolean isEndingOn(StateDrive drive) {
        endings.removeIf(one -> !one.thread().isAlive());
        return endings.stream().anyMatch(one -> one.drive().id().equals(drive.id()));
    }

    private void takePlace() throws IOException {
        var there = folders.find();
        holding = there.holding();
        there.whole().forEach(folder -> heard.bar(folder.barred()));
        var found = there.without(this::isEndingOn);
        for (var folder : namedFirst(found.whole())) {
            if (heard.isBarred(folder.logId())) {
                if (heard.isLed()) {
                    setApart(folder);
                }
            } else if (forsaken.contains(folder.server()) && heard.isAnotherLed(folder.logId())) {
                setApart(folder);
            } else if (mayOpen(folder) && opened(folder)) {
                return;
            }
        }
        var damaged = found.damaged();
        if (heard.isLed()) {
            var led = heard.led()
                    .orElseThrow(() -> new IOException("two other controllers lead, each another log: two clusters name"
                            + " each other's targets; correct `cluster.nodes`"));
            for (var one : damaged) {
                LOG.warn("{}: it is put aside, and {} joins as a new server", one.why(), self);
                folders.putAside(one.drive());
            }
            folders.make(false, led, heard.barred()).ifPresent(folder -> {
                var _ = opened(folder);
            });
        } else if (self.equals(controllers.first()) && holding == LogServer.Holding.NONE && othersHaveNone()) {
            var _ = folders.loneState(); // refuses to begin anew where there are objects
            folders.make(true, LogId.random(), heard.barred()).ifPresent(folder -> {
                var _ = opened(folder);
            });
        } else if (!found.whole().isEmpty()
                && found.whole().stream().allMatch(folder -> heard.isBarred(folder.logId()))) {
            throw new IOException(
                    "its log was replaced by `cluster recover`: it waits for a controller of the new one");
        } else if (!damaged.isEmpty()) {
            throw new IOException(damaged.getFirst().why() + "; it waits for another controller that leads");
        } else if (!found.away().isEmpty()) {
            throw new IOException(
                    "drives are not there, and may have its part of the controllers' log: " + found.away());
        }
    }

    private List<LogServerFolder> namedFirst(List<LogServerFolder> all) {
        return all.stream()
                .sorted(Comparator.comparing(folder -> !isNamed(folder)))
                .toList();
    }

    /// What was never part of a log has no record. Nor has what lost it: that may have voted.
    private boolean mayOpen(LogServerFolder folder) {
        if (folder.hasRecord() || (folder.founder() && othersHaveNone())) {
            return true;
        }
        putAsideIfAnotherLeads(folder);
        return false;
    }

    /// Puts it aside when it cannot be used and another one leads.
    private boolean opened(LogServerFolder folder) {
        try {
            if (left.contains(folder.server()) && heard.isLed(folder.logId())) {
                throw new IOException(folder.drive() + " is to go");
            }
            var log = new RaftLog(
                    folder.log(),
                    folder.logId(),
                    folder.drive().id(),
                    folder.server(),
                    folder.founder() ? Set.of(folder.server()) : Set.of(),
                    calls);
            holding = LogServer.Holding.SOME;
            cleared = System.nanoTime() - LOOK_AGAIN.toNanos();
            trouble = Optional.empty();
            inTouch.put(folder.logId(), System.nanoTime());
            forsaken.remove(folder.server());
            open = Optional.of(new Server(folder, log));
            if (closed) {
                log.close();
            }
            log.follow(this::tell);
            LOG.info(
                    "{} has the server {} of the controllers' log {}, on {}",
                    self,
                    folder.server(),
                    folder.logId(),
                    folder.drive());
            return true;
        } catch (IOException | RuntimeException why) {
            complain(why);
            putAsideIfAnotherLeads(folder);
            return false;
        }
    }

    private void putAsideIfAnotherLeads(LogServerFolder folder) {
        if (closed) {
            return;
        }
        try {
            if (heard.isLed(folder.logId())) {
                folders.putAside(folder.drive());
                LOG.warn("{} is put aside, and {} joins as a new server", folder.log(), self);
            } else if (heard.isLed() && isSilent(folder.logId())) {
                setApart(folder);
            }
        } catch (IOException why) {
            LOG.warn("{} cannot be put aside", folder.log(), why);
        }
    }

    private void setApart(LogServerFolder folder) throws IOException {
        var to = folders.setApart(folder.drive());
        LOG.warn(
                "{} is of the log {}, of which no other controller has a part: it is kept as {}. Delete it, unless it"
                        + " is of another cluster that needs it",
                LogServerFolder.of(folder.drive()),
                folder.logId(),
                to);
    }

    /// Those of servers that this one is in the place of: their drives may be needed again.
    private void putOldFoldersAside(Server here) throws IOException {
        for (var old : folders.find().whole()) {
            if (!old.server().equals(here.folder().server())) {
                if (!old.logId().equals(here.folder().logId())) {
                    setApart(old);
                    continue;
                }
                LOG.info(
                        "{} is in the place of {}, whose folder is put aside",
                        here.folder().server(),
                        old.server());
                folders.putAside(old.drive());
            }
        }
    }

    // ---- the leader's duties

    /// A lone controller's state is the first entry of the log.
    private void adopt() throws IOException {
        if (snapshot().isPresent()) {
            boolean isMember = members().contains(open.orElseThrow().folder().server());
            boolean isAlone = endings.stream().noneMatch(one -> one.thread().isAlive());
            if (isMember && isAlone && System.nanoTime() - cleared > LOOK_AGAIN.toNanos()) {
                folders.putLoneStateAside();
                putOldFoldersAside(open.orElseThrow());
                cleared = System.nanoTime();
            }
            return;
        }
        if (!seat().leads() || hasNoLoneState) {
            return;
        }
        requireUsable();
        var lone = folders.loneState().map(state -> state.carrying(new TreeMap<>()));
        if (lone.isPresent() && snapshot().isEmpty()) {
            LOG.info(
                    "the state of the lone controller, version {}, begins the log",
                    lone.get().version());
            var _ = propose(new AdoptState(lone.get()));
        }
        hasNoLoneState = lone.isEmpty();
    }

    /// The servers are those of this log that the controllers name: one is added, or goes, at a time.
    private void changeServers(Server here) {
        for (var each : heard.of(here.folder().logId()).entrySet()) {
            var server = each.getValue().server();
            if (server.isPresent() && RaftLog.node(server.get()).equals(each.getKey())) {
                replace(here.log(), each.getKey(), server.get());
            }
        }
        replace(here.log(), self, here.folder().server());
    }

    private static void replace(RaftLog log, NodeId controller, String server) {
        var members = log.members();
        var old = members.stream()
                .filter(each -> !each.equals(server) && RaftLog.node(each).equals(controller))
                .findFirst();
        boolean isMember = members.contains(server);
        if (old.isPresent() && (isMember || members.size() > 2)) {
            LOG.warn("the controllers' log replaced server {} by {}", old.get(), server);
            log.remove(old.get());
        } else if (!isMember) {
            log.add(server);
            LOG.info("{} keeps the controllers' log too", server);
        }
    }

    /// When its drive is to go, or another controller hears the targets better. After an attempt that failed it leads
    /// on: Ratis ends the request at its time-out, and takes commands again, or the server is not open any more.
    private void handOver(Server here) {
        var wanted = successor;
        successor = Optional.empty();
        boolean leaves =
                !folders.mayKeep(here.folder().drive().id()) && folders.place().isPresent();
        if ((wanted.isEmpty() && !leaves) || System.nanoTime() - handedOver < HAND_OVER_AGAIN.toNanos()) {
            return;
        }
        var able = successors(here);
        var next = able.stream()
                .filter(server -> wanted.equals(Optional.of(RaftLog.node(server))))
                .findFirst()
                .or(() ->
                        leaves && !able.isEmpty() ? Optional.of(able.get(handOvers % able.size())) : Optional.empty());
        if (next.isEmpty()) {
            return;
        }
        handedOver = System.nanoTime();
        handOvers++;
        try {
            LOG.info("{} hands over to {}", here.folder().server(), next.get());
            here.log().handOver(next.get(), HAND_OVER);
        } catch (StoreException.Unavailable failed) {
            LOG.warn("{} leads on: {}", here.folder().server(), failed.getMessage());
        }
    }

    private List<String> successors(Server here) {
        var fresh = heard.of(here.folder().logId());
        return here.log().members().stream()
                .sorted()
                .filter(server -> !server.equals(here.folder().server()))
                .filter(server -> Optional.ofNullable(fresh.get(RaftLog.node(server)))
                        .flatMap(LogServer::server)
                        .filter(server::equals)
                        .isPresent())
                .toList();
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        open.ifPresent(server -> server.log().close());
    }
}
