package dev.sluice.cli.failure;

/// Why a command did not do what it was asked: one or more lines for people, and the exit code.
public final class CommandFailure extends RuntimeException {
    /// Asked for something that cannot be: wrong options, or a state that forbids it. Nothing was changed.
    public static final int REFUSED = 2;
    /// Tried, and did not succeed.
    public static final int FAILED = 1;

    private final int exitCode;
    private final boolean passing;

    private CommandFailure(int exitCode, String message, boolean passing) {
        super(message);
        this.exitCode = exitCode;
        this.passing = passing;
    }

    public static CommandFailure refused(String message) {
        return new CommandFailure(REFUSED, message, false);
    }

    public static CommandFailure failed(String message) {
        return new CommandFailure(FAILED, message, false);
    }

    /// No answer, or that of a server that cannot serve now: the same request may succeed later.
    public static CommandFailure passing(String message) {
        return new CommandFailure(FAILED, message, true);
    }

    /// The same with more to say.
    public CommandFailure adding(String more) {
        return new CommandFailure(exitCode, reason() + more, passing);
    }

    public boolean isPassing() {
        return passing;
    }

    public int exitCode() {
        return exitCode;
    }

    public String reason() {
        return String.valueOf(getMessage());
    }
}
