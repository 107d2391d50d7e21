package dev.sluice.targetnode.replica.core;

/// What a drive does in a slot beside taking writes.
sealed interface Role permits Role.Follower, Primary, Learner {
    Role FOLLOWER = new Follower();

    /// A member that is neither primary nor learner, or no member.
    record Follower() implements Role {}
}
