package dev.sluice.targetnode.controller.raft;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/// Every setting of Ratis that is not its default, and some that must stay it.
final class RatisSettings {
    static final int ENTRY_BYTES = 512 << 10;
    /// An entry with what Ratis writes around it.
    private static final SizeInBytes MESSAGE = SizeInBytes.valueOf(ENTRY_BYTES + (4 << 10));

    private static final int SNAPSHOT_EACH = 1024;

    /// A server that begins waits so long for a leader, or up to twice as long.
    private static final int FIRST_ELECTION_MILLIS = 300;

    private static final TimeDuration NEVER = TimeDuration.valueOf(10_000, TimeUnit.DAYS);

    private RatisSettings() {}

    /// @param electionMillis how long a follower waits for its leader; up to twice as long
    static RaftProperties of(RaftFolder folder, int electionMillis) {
        var settings = new RaftProperties();
        RaftConfigKeys.Rpc.setType(settings, new OwnCallsRpc());
        folders(settings, folder);
        times(settings, electionMillis);
        log(settings);
        snapshots(settings);
        threads(settings);
        return settings;
    }

    /// By default they are below /tmp.
    private static void folders(RaftProperties settings, RaftFolder folder) {
        RaftServerConfigKeys.setStorageDir(settings, List.of(folder.storage().toFile()));
        RaftServerConfigKeys.setRemovedGroupsDir(settings, folder.removed().toFile());
    }

    private static void times(RaftProperties settings, int electionMillis) {
        RaftServerConfigKeys.Rpc.setTimeoutMin(settings, millis(electionMillis));
        RaftServerConfigKeys.Rpc.setTimeoutMax(settings, millis(2 * electionMillis));
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(settings, millis(FIRST_ELECTION_MILLIS));
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(settings, millis(2 * FIRST_ELECTION_MILLIS));
        RaftServerConfigKeys.Rpc.setRequestTimeout(settings, millis(RaftCalls.LIMIT_MILLIS));
        RaftServerConfigKeys.Rpc.setSleepTime(settings, millis(25));
        RaftServerConfigKeys.Rpc.setSlownessTimeout(settings, NEVER);
        RaftServerConfigKeys.setCloseThreshold(settings, NEVER);
        // How long a leader that lost its majority is no candidate; by default 10 s.
        RaftServerConfigKeys.LeaderElection.setLeaderStepDownWaitTime(settings, millis(1_000));
        // We retry nothing under the same number, so answers need not be kept.
        RaftServerConfigKeys.RetryCache.setExpiryTime(settings, millis(1_000));
    }

    private static void log(RaftProperties settings) {
        RaftServerConfigKeys.Log.setCorruptionPolicy(settings, RaftServerConfigKeys.Log.CorruptionPolicy.EXCEPTION);
        RaftServerConfigKeys.Log.Appender.setBufferByteLimit(settings, MESSAGE);
        RaftServerConfigKeys.Log.Appender.setSnapshotChunkSizeMax(settings, SizeInBytes.valueOf(ENTRY_BYTES));
        RaftServerConfigKeys.Log.Appender.setInstallSnapshotEnabled(settings, true);
        RaftServerConfigKeys.Log.setWriteBufferSize(settings, mebibytes(1));
        RaftServerConfigKeys.Log.setSegmentSizeMax(settings, mebibytes(4));
        RaftServerConfigKeys.Log.setPreallocatedSize(settings, SizeInBytes.valueOf(256 << 10));
        RaftServerConfigKeys.Log.setSegmentCacheNumMax(settings, 2);
        RaftServerConfigKeys.Log.setSegmentCacheSizeMax(settings, mebibytes(16));
        RaftServerConfigKeys.Log.setQueueByteLimit(settings, mebibytes(8));
        // An entry of Ratis' own after each of ours, which says what was committed: twice the writes, and not needed.
        RaftServerConfigKeys.Log.setLogMetadataEnabled(settings, false);
        RaftServerConfigKeys.Write.setByteLimit(settings, mebibytes(8));
        RaftServerConfigKeys.Write.setElementLimit(settings, 1_024);
    }

    /// The log is kept from before the older snapshot on, in case the newer one is damaged. It is dropped
    /// also when a server is away, which then gets a snapshot.
    private static void snapshots(RaftProperties settings) {
        RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(settings, true);
        RaftServerConfigKeys.Snapshot.setAutoTriggerThreshold(settings, SNAPSHOT_EACH);
        RaftServerConfigKeys.Snapshot.setTriggerWhenStopEnabled(settings, false);
        RaftServerConfigKeys.Snapshot.setRetentionFileNum(settings, 2);
        RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(settings, true);
        RaftServerConfigKeys.Log.setPurgePreservationLogNum(settings, 2L * SNAPSHOT_EACH);
        RaftServerConfigKeys.Log.setPurgeGap(settings, SNAPSHOT_EACH);
    }

    /// Fixed sizes: a "cached" pool of Ratis with a limit has one thread.
    private static void threads(RaftProperties settings) {
        RaftServerConfigKeys.ThreadPool.setProxyCached(settings, false);
        RaftServerConfigKeys.ThreadPool.setProxySize(settings, 2);
        RaftServerConfigKeys.ThreadPool.setServerCached(settings, false);
        RaftServerConfigKeys.ThreadPool.setServerSize(settings, 4);
        RaftServerConfigKeys.ThreadPool.setClientCached(settings, false);
        RaftServerConfigKeys.ThreadPool.setClientSize(settings, 4);
    }

    private static TimeDuration millis(int millis) {
        return TimeDuration.valueOf(millis, TimeUnit.MILLISECONDS);
    }

    private static SizeInBytes mebibytes(int count) {
        return SizeInBytes.valueOf((long) count << 20);
    }
}
