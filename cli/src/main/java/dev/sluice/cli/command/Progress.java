package dev.sluice.cli.command;

import java.io.PrintWriter;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Locale;
import java.util.Optional;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarConsumer;
import me.tongfei.progressbar.ProgressBarStyle;

/// One line that shows how far a transfer is, gone when it ends. Where no one watches it does nothing.
public final class Progress implements AutoCloseable {
    private static final int EVERY_MILLIS = 200;
    private static final int COLUMNS = 79;
    private static final long MIB = 1 << 20;
    /// Above this the line counts MiB, below KiB.
    private static final long LARGE = 10 * MIB;

    private final Line line;
    private final boolean watched;
    private final String name;
    private volatile Optional<ProgressBar> bar = Optional.empty();

    public Progress(PrintWriter err, boolean watched, String name) {
        this.line = new Line(err);
        this.watched = watched;
        this.name = name;
    }

    public static Progress of(PrintWriter err, String name) {
        return new Progress(err, Terminal.showsErrors(), name);
    }

    /// @param total in bytes; negative when it is not known
    public void begin(long total) {
        if (watched) {
            boolean large = total < 0 || total > LARGE;
            bar = Optional.of(new ProgressBarBuilder()
                    .setTaskName(name)
                    .setInitialMax(total)
                    .setUnit(large ? " MiB" : " KiB", large ? MIB : 1 << 10)
                    .showSpeed(new DecimalFormat("#.#", DecimalFormatSymbols.getInstance(Locale.ROOT)))
                    .setStyle(ProgressBarStyle.ASCII)
                    .setUpdateIntervalMillis(EVERY_MILLIS)
                    .setConsumer(line)
                    .clearDisplayOnFinish()
                    .build());
        }
    }

    /// On any thread.
    public void moved(long bytes) {
        bar.ifPresent(shown -> shown.stepBy(bytes));
    }

    /// How many objects are done, where there are several.
    public void objects(long count) {
        bar.ifPresent(shown -> shown.setExtraMessage(" " + count + " objects"));
    }

    @Override
    public void close() {
        bar.ifPresent(ProgressBar::close);
        bar = Optional.empty();
        line.end();
    }

    /// The bar draws on a thread of its own, which may be late: nothing is drawn after the end.
    private static final class Line implements ProgressBarConsumer {
        private static final String ERASED = "\r\u001b[K";

        private final PrintWriter err;
        private boolean drawn;
        private boolean ended;

        Line(PrintWriter err) {
            this.err = err;
        }

        synchronized void end() {
            if (drawn) {
                err.print(ERASED);
                err.flush();
            }
            ended = true;
        }

        @Override
        public int getMaxRenderedLength() {
            return COLUMNS;
        }

        @Override
        public synchronized void accept(String rendered) {
            if (!ended) {
                drawn = true;
                err.print("\r" + rendered + "\u001b[K");
                err.flush();
            }
        }

        @Override
        public void clear() {
            accept("");
        }

        @Override
        public void close() {
            // the writer is the command's
        }
    }
}
