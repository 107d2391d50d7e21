package dev.sluice.targetnode.controller.raft;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.rpc.CallId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppenderBase;
import org.apache.ratis.server.raftlog.RaftLogIOException;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.util.Timestamp;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends the leader's log to one follower: entries, or a snapshot in chunks, one call after the other, and heartbeats.
/// It does what the default one of Ratis 3.3.0 does, with two differences.
///
/// **Nothing it waits for goes on after an interrupt.** A leader that steps down holds its server's monitor until all
/// appenders have ended. The default one may wait for that monitor, and the server answers nothing for five seconds. So
/// what needs the monitor is done on another thread: a newer term of the follower, the chunks of a snapshot.
///
/// **Heartbeats go beside a call that takes long**, by a second thread: a follower whose drive is slow is not lost, and
/// whoever asks whether this server still leads does not wait for entries. Of their answers only times and a newer term
/// count. They never move an index: a follower names its own next index there, and entries before it may be others than
/// the leader's (RATIS-2605).
final class OwnAppender extends LogAppenderBase {
    private static final Logger LOG = LoggerFactory.getLogger(OwnAppender.class);
    private static final int SELDOM = 100;
    private static final long PAUSE_MILLIS = 25;
    private final ExecutorService others = Executors.newCachedThreadPool(
            Thread.ofPlatform().name("raft-" + this + "-", 0).daemon().factory());
    private final Semaphore asked = new Semaphore(0); // for a heartbeat
    private volatile boolean busy;
    private volatile long newestTerm;
    private int failures;

    OwnAppender(RaftServer.Division server, LeaderState leader, FollowerInfo follower) {
        super(server, leader, follower);
    }

    @Override
    public long getCallId() {
        return CallId.get();
    }

    @Override
    public Comparator<Long> getCallIdComparator() {
        return CallId.getComparator();
    }

    /// Soon, whatever is under way.
    @Override
    public void triggerHeartbeat() {
        asked.release();
    }

    @Override
    public void run() throws InterruptedException, IOException {
        others.execute(this::beatBeside);
        try {
            while (isRunning()) {
                if (shouldSendAppendEntries()) {
                    busy = true;
                    send();
                    busy = false;
                }
                if (isRunning() && !hasAppendEntries()) {
                    var _ = getEventAwaitForSignal().await(getHeartbeatWaitTimeMs(), TimeUnit.MILLISECONDS);
                }
                getLeaderState().checkHealth(getFollower());
            }
        } finally {
            others.shutdown(); // what is under way there goes on: nobody waits for it
            asked.release();
        }
    }

    private void send() throws InterruptedException, IOException {
        var snapshot = Optional.ofNullable(shouldInstallSnapshot());
        if (snapshot.isPresent()) {
            install(snapshot.get());
        } else {
            append();
        }
    }

    // ---- entries

    /// Until there is an answer, or nothing to send any more.
    private void append() throws InterruptedException, IOException {
        var request = Optional.<AppendEntriesRequestProto>empty();
        while (isRunning()) {
            try {
                if (request.isEmpty() || request.get().getEntriesCount() == 0) {
                    request = Optional.ofNullable(newAppendEntriesRequest(CallId.getAndIncrement(), false));
                }
                if (request.isEmpty() || !isRunning()) {
                    return;
                }
                handle(request.get(), sent(request.get()));
                failures = 0;
                return;
            } catch (InterruptedIOException | RaftLogIOException ends) {
                throw ends;
            } catch (IOException failure) {
                failed("append", failure);
            }
        }
    }

    private AppendEntriesReplyProto sent(AppendEntriesRequestProto request) throws IOException {
        var reply = asked(request);
        getLeaderState().onFollowerCommitIndex(getFollower(), reply.getFollowerCommit());
        return reply;
    }

    private AppendEntriesReplyProto asked(AppendEntriesRequestProto request) throws IOException {
        getFollower().updateLastRpcSendTime(request.getEntriesCount() == 0);
        var sent = Timestamp.currentTime();
        var reply = getServerRpc().appendEntries(request);
        getFollower().updateLastRpcResponseTime();
        getFollower().updateLastRespondedAppendEntriesSendTime(sent);
        return reply;
    }

    private void handle(AppendEntriesRequestProto request, AppendEntriesReplyProto reply) throws InterruptedException {
        switch (reply.getResult()) {
            case SUCCESS -> succeeded(request, reply);
            case NOT_LEADER -> {
                var _ = onFollowerTerm(reply.getTerm());
                pause();
            }
            case INCONSISTENCY -> {
                long first = request.getEntriesCount() == 0
                        ? -1
                        : request.getEntries(0).getIndex();
                long next = reply.getNextIndex();
                boolean lostSome = next <= getFollower().getMatchIndex(); // [LostTail]
                getFollower().setNextIndex(lostSome ? next : getNextIndexForInconsistency(first, next));
            }
            default -> LOG.warn("{}: the follower answered {}", this, reply.getResult());
        }
        getLeaderState().onAppendEntriesReply(this, reply);
    }

    /// @throws IllegalStateException when the follower has less than it had; then the appender begins again
    private void succeeded(AppendEntriesRequestProto request, AppendEntriesReplyProto reply) {
        long old = getFollower().getNextIndex();
        long known = request.hasPreviousLog() ? request.getPreviousLog().getIndex() + 1 : 0;
        long next = request.getEntriesCount() == 0 ? Math.max(old, known) : reply.getNextIndex();
        if (next < old) {
            throw new IllegalStateException("%s has entries to %d only, and had them to %d".formatted(this, next, old));
        }
        if (next > old) {
            getFollower().updateMatchIndex(next - 1);
            getFollower().increaseNextIndex(next);
            getLeaderState().onFollowerSuccessAppendEntries(getFollower());
        }
    }

    private void failed(String what, Exception failure) throws InterruptedException {
        if (failures++ % SELDOM == 0) {
            LOG.warn("{}: no answer to {}, {} in a row: {}", this, what, failures, failure.getMessage());
        }
        getServerRpc().handleException(getFollowerId(), failure, false);
        pause();
    }

    private void pause() throws InterruptedException {
        if (isRunning()) {
            var _ = getServer().properties().rpcSleepTime().sleep();
        }
    }

    // ---- a snapshot

    private void install(SnapshotInfo snapshot) throws InterruptedException, IOException {
        var last = Optional.<InstallSnapshotReplyProto>empty();
        try {
            var chunks = newInstallSnapshotRequests(UUID.randomUUID().toString(), snapshot)
                    .iterator();
            for (var chunk = next(chunks); chunk.isPresent(); chunk = next(chunks)) {
                last = Optional.of(sent(chunk.get()));
                if (!last.get().getServerReply().getSuccess()) {
                    break;
                }
            }
        } catch (InterruptedIOException ends) {
            throw ends;
        } catch (IOException | RuntimeException failure) {
            failed("a chunk of " + snapshot.getTermIndex(), failure);
            return;
        }
        if (last.filter(reply -> reply.getServerReply().getSuccess()).isPresent()) {
            getFollower().setSnapshotIndex(snapshot.getTermIndex().getIndex());
            getServer().getRaftServerMetrics().onSnapshotInstalled();
        }
        if (last.isPresent()) {
            handle(last.get());
        }
    }

    private InstallSnapshotReplyProto sent(InstallSnapshotRequestProto chunk) throws IOException {
        getFollower().updateLastRpcSendTime(false);
        var reply = getServerRpc().installSnapshot(chunk);
        getFollower().updateLastRpcResponseTime();
        return reply;
    }

    private void handle(InstallSnapshotReplyProto reply) throws InterruptedException {
        switch (reply.getResult()) {
            case NOT_LEADER -> {
                var _ = onFollowerTerm(reply.getTerm());
                pause();
            }
            case SUCCESS, SNAPSHOT_UNAVAILABLE, ALREADY_INSTALLED, SNAPSHOT_EXPIRED ->
                getFollower().setAttemptedToInstallSnapshot();
            default -> pause();
        }
    }

    /// Ratis takes the server's monitor for each chunk.
    private Optional<InstallSnapshotRequestProto> next(Iterator<InstallSnapshotRequestProto> chunks)
            throws IOException {
        Callable<Optional<InstallSnapshotRequestProto>> taking =
                () -> chunks.hasNext() ? Optional.of(chunks.next()) : Optional.empty();
        try {
            return others.submit(taking).get();
        } catch (ExecutionException failure) {
            throw new IOException("a chunk of the snapshot cannot be read", failure.getCause());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("while a chunk is read");
        }
    }

    // ---- what needs the server's monitor, or goes beside a call

    /// Once for each term: the leader steps down. This thread does not wait for it.
    @Override
    public boolean onFollowerTerm(long term) {
        if (term > newestTerm && isRunning()) {
            newestTerm = term;
            others.execute(() -> tellLeader(term));
        }
        return false;
    }

    private void tellLeader(long term) {
        try {
            var _ = super.onFollowerTerm(term);
        } catch (RuntimeException ended) {
            LOG.debug("{}: the leader is none any more", this, ended);
            newestTerm = 0; // else it is told again
        }
    }

    private void beatBeside() {
        long look = getServer().properties().minRpcTimeoutMs() / 4;
        while (isRunning()) {
            try {
                boolean wanted = asked.tryAcquire(look, TimeUnit.MILLISECONDS);
                if (wanted || (busy && getHeartbeatWaitTimeMs() <= 0)) {
                    asked.drainPermits();
                    beat();
                }
            } catch (InterruptedException _) {
                return;
            } catch (IOException | RuntimeException failure) {
                LOG.debug("{}: no answer to a heartbeat", this, failure);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
            }
        }
    }

    private void beat() throws IOException {
        var reply = asked(newAppendEntriesRequest(CallId.getAndIncrement(), true));
        if (reply.getResult() == AppendResult.NOT_LEADER) {
            var _ = onFollowerTerm(reply.getTerm());
        }
    }
}
