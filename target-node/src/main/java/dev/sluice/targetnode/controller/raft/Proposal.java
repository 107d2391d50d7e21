package dev.sluice.targetnode.controller.raft;

import org.apache.ratis.protocol.Message;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/// An entry on its way into the log. Ratis says "not the leader" also to who waits for an entry that is in
/// the log already and may be committed by the next leader; only this tells the two apart.
final class Proposal implements Message {
    private final ByteString content;
    private volatile boolean appended;

    Proposal(byte[] entry) {
        this.content = ByteString.copyFrom(entry);
    }

    @Override
    public ByteString getContent() {
        return content;
    }

    void appending() {
        appended = true;
    }

    boolean mayBeInTheLog() {
        return appended;
    }
}
