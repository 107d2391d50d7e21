package dev.sluice.targetnode.replica.core.sim;

import dev.sluice.targetnode.storage.record.ObjectKey;

/// What a client asked for, and what it was told. No object is the empty value.
final class Operation {
    enum Kind {
        GET,
        PUT,
        DELETE
    }

    enum Result {
        PENDING,
        OK,
        CONDITION_FAILED,
        /// A definite failure.
        REFUSED,
        UNKNOWN
    }

    enum Condition {
        NONE,
        ABSENT,
        MATCH
    }

    final int id;
    final String client;
    final ObjectKey key;
    final Kind kind;
    final String value;
    final Condition condition;
    final String expected;
    final double invoked;
    double returned;
    Result result = Result.PENDING;
    String read = "";

    Operation(int id, String client, ObjectKey key, Kind kind, Condition condition, String expected, double invoked) {
        this.id = id;
        this.client = client;
        this.key = key;
        this.kind = kind;
        this.value = kind == Kind.PUT ? "v" + id : "";
        this.condition = condition;
        this.expected = expected;
        this.invoked = invoked;
    }

    boolean holds(String current) {
        return switch (condition) {
            case NONE -> true;
            case ABSENT -> current.isEmpty();
            case MATCH -> current.equals(expected);
        };
    }

    @Override
    public String toString() {
        return "%s op %d %s %s %s %s %s -> %s %s"
                .formatted(client, id, kind, key.bucketId() + key.key(), value, condition, expected, result, read);
    }
}
