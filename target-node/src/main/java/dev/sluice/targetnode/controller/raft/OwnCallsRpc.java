package dev.sluice.targetnode.controller.raft;

import org.apache.ratis.conf.Parameters;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;

/// Makes Ratis use {@link RaftCalls} in place of gRPC, and without an open port. Ratis finds the type by the
/// name of its class and makes it itself, which is why both are public.
public final class OwnCallsRpc implements RpcType {
    private static final String KEY = "sluice.raft";

    /// For Ratis.
    public OwnCallsRpc() {}

    static Parameters parameters(OutgoingCalls calls) {
        var parameters = new Parameters();
        var _ = parameters.put(KEY, calls, OutgoingCalls.class);
        return parameters;
    }

    @Override
    public String name() {
        return OwnCallsRpc.class.getName();
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
        return new Factory(this, parameters.getNonNull(KEY, OutgoingCalls.class));
    }

    private record Factory(OwnCallsRpc type, OutgoingCalls calls) implements ServerFactory {
        @Override
        public RpcType getRpcType() {
            return type;
        }

        @Override
        public RaftServerRpc newRaftServerRpc(RaftServer server) {
            return calls;
        }

        @Override
        public LogAppender newLogAppender(RaftServer.Division server, LeaderState state, FollowerInfo follower) {
            var appender = new OwnAppender(server, state, follower);
            calls.confirmations().add(appender);
            calls.watch(server.getRaftLog());
            return appender;
        }
    }
}
