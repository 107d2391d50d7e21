package dev.sluice.testing.summary;

/// What a test came to, of those that did not simply pass.
///
/// @param test as a reader looks for it: `module: Class.method`
/// @param message of the first failure, or the reason of a skip
/// @param promise whether a promise was broken, by the first failure's stack
/// @param log the output of the test's class
record Outcome(Kind kind, String test, String message, boolean promise, String log) {
    enum Kind {
        SKIPPED,
        /// Failed, and passed when it was run again.
        FLAKY,
        FAILED
    }
}
