package dev.sluice.targetnode.controller.raft;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.LifeCycle;

/// A {@link Machine} as Ratis wants it: entries, snapshots, and how far it is.
final class LogMachine extends BaseStateMachine {
    private final Machine machine;
    private final DurableState durable;
    private final SimpleStateMachineStorage snapshots = new SimpleStateMachineStorage();
    private final CompletableFuture<RaftStorage> storage = new CompletableFuture<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition moved = lock.newCondition();

    LogMachine(Machine machine, DurableState durable) {
        this.machine = machine;
        this.durable = durable;
    }

    @Override
    public void initialize(RaftServer server, RaftGroupId group, RaftStorage ratis) throws IOException {
        super.initialize(server, group, ratis);
        getLifeCycle().startAndTransition(() -> {
            storage.complete(ratis);
            durable.attach(ratis);
            snapshots.init(ratis);
            load();
        });
    }

    @Override
    public SimpleStateMachineStorage getStateMachineStorage() {
        return snapshots;
    }

    private void load() throws IOException {
        var newest = snapshots.loadLatestSnapshot();
        if (newest != null) {
            machine.restore(SnapshotFiles.read(newest.getFile().getPath()));
            setLastAppliedTermIndex(newest.getTermIndex());
        }
    }

    @Override
    public TransactionContext preAppendTransaction(TransactionContext transaction) {
        if (transaction.getClientRequest().getMessage() instanceof Proposal proposal) {
            proposal.appending();
        }
        return transaction;
    }

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
        var entry = transaction.getLogEntry();
        try {
            durable.settle(entry.getTerm());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        var answer = machine.apply(entry.getStateMachineLogEntry().getLogData().toByteArray());
        var _ = updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
        return CompletableFuture.completedFuture(Message.valueOf(ByteString.copyFrom(answer)));
    }

    /// Called after Ratis wrote it.
    @Override
    public void notifyConfigurationChanged(long term, long index, RaftConfigurationProto servers) {
        try {
            durable.configure(LogEntryProto.newBuilder()
                    .setTerm(term)
                    .setIndex(index)
                    .setConfigurationEntry(servers)
                    .build());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Called before files of the log are cut or deleted.
    @Override
    public CompletableFuture<Void> truncate(long index) {
        try {
            durable.forgetSegment();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public long takeSnapshot() throws IOException {
        var last = getLastAppliedTermIndex();
        if (last.getIndex() < RaftLog.LEAST_VALID_LOG_INDEX) {
            return RaftLog.INVALID_LOG_INDEX;
        }
        var file = snapshots.getSnapshotFile(last.getTerm(), last.getIndex()).toPath();
        var _ = snapshots.updateLatestSnapshot(SnapshotFiles.write(file, last, machine.snapshot()));
        return last.getIndex();
    }

    /// Ratis has received a whole snapshot and is about to put it in place; then it drops log that the
    /// snapshot has.
    @Override
    public void pause() {
        try {
            durable.settleReceivedSnapshot(storage.join());
            durable.forgetSegment();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (getLifeCycleState() == LifeCycle.State.RUNNING) {
            getLifeCycle().transition(LifeCycle.State.PAUSING);
            getLifeCycle().transition(LifeCycle.State.PAUSED);
        }
    }

    @Override
    public void reinitialize() throws IOException {
        load();
        durable.covered(getLastAppliedTermIndex().getIndex());
        if (getLifeCycleState() == LifeCycle.State.PAUSED) {
            getLifeCycle().transition(LifeCycle.State.STARTING);
            getLifeCycle().transition(LifeCycle.State.RUNNING);
        }
    }

    @Override
    protected void setLastAppliedTermIndex(TermIndex last) {
        super.setLastAppliedTermIndex(last);
        signal();
    }

    @Override
    protected boolean updateLastAppliedTermIndex(TermIndex last) {
        var changed = super.updateLastAppliedTermIndex(last);
        signal();
        return changed;
    }

    /// @return whether the entry of this index was applied in time
    boolean awaitApplied(long index, Duration patience) throws InterruptedException {
        lock.lock();
        try {
            var left = patience.toNanos();
            while (getLastAppliedTermIndex().getIndex() < index && left > 0) {
                left = moved.awaitNanos(Math.min(left, TimeUnit.MILLISECONDS.toNanos(50)));
            }
            return getLastAppliedTermIndex().getIndex() >= index;
        } finally {
            lock.unlock();
        }
    }

    /// The constructor of Ratis' class calls this before there is a lock.
    @SuppressWarnings("NullAway")
    private void signal() {
        if (lock == null) {
            return;
        }
        lock.lock();
        try {
            moved.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
