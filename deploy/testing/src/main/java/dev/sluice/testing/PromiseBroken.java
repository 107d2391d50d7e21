package dev.sluice.testing;

/// A test saw a promise broken: something acknowledged was lost, stale, resurrected, wrong or falsely missing, or two
/// primaries served. The summary of a run never counts such a test as flaky, also when it passes the second time.
public class PromiseBroken extends AssertionError {
    private static final long serialVersionUID = 1;

    public PromiseBroken(String message) {
        super(message);
    }

    public PromiseBroken(String message, Throwable cause) {
        super(message, cause);
    }

    /// Runs checks of a promise: a failed assertion among them becomes a broken promise.
    public static void check(Runnable checks) {
        try {
            checks.run();
        } catch (PromiseBroken broken) {
            throw broken;
        } catch (AssertionError failed) {
            throw new PromiseBroken(String.valueOf(failed.getMessage()), failed);
        }
    }
}
