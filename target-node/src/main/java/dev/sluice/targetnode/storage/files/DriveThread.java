package dev.sluice.targetnode.storage.files;

/// A platform thread that may wait for a drive. Everything else (event loops, virtual threads) must hand its calls
/// over: a virtual thread that waits for a drive holds its carrier, and a few of them stop the node.
public final class DriveThread extends Thread {
    public DriveThread(Runnable work, String name) {
        super(work, name);
        setDaemon(true);
    }

    /// Guards every call to a drive's files and index.
    public static void assertMayBlock() {
        if (!(Thread.currentThread() instanceof DriveThread)) {
            throw new IllegalStateException("a drive was called on " + Thread.currentThread());
        }
    }
}
