package dev.sluice.targetnode.controller.raft;

import java.util.Optional;

/// Why an entry is not known to be committed, or a read is not known to be current.
public sealed class ConsensusException extends Exception {
    private static final long serialVersionUID = 1L;

    private ConsensusException(String message) {
        super(message);
    }

    /// Nothing was appended: this server is not the leader, or not ready to be.
    public static final class NotLeader extends ConsensusException {
        private static final long serialVersionUID = 1L;
        private final transient Optional<String> leader;

        NotLeader(String self, Optional<String> leader) {
            super(self + " is not the leader; " + leader.map(id -> id + " is").orElse("no leader is known"));
            this.leader = leader;
        }

        /// @return empty when it is not known, or when this server itself is about to be the leader
        public Optional<String> leader() {
            return leader;
        }
    }

    /// Nothing was appended, for another reason: the queue is full, or the server is closed.
    public static final class Refused extends ConsensusException {
        private static final long serialVersionUID = 1L;

        Refused(String message) {
            super(message);
        }
    }

    /// The entry may be committed, now or later.
    public static final class OutcomeUnknown extends ConsensusException {
        private static final long serialVersionUID = 1L;

        OutcomeUnknown(String message) {
            super(message);
        }
    }
}
