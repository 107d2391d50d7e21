package dev.sluice.cli.demo.report;

import dev.sluice.cli.demo.cloud.RequestKind;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/// A column of the table of epochs, the same on the terminal and on the page.
record Column(String title, Function<EpochReport, String> cell) {
    static final List<Column> ALL = List.of(
            new Column("epoch", epoch -> Integer.toString(epoch.number())),
            new Column("cache", EpochReport::temperature),
            new Column("seconds", epoch -> fixed(2, epoch.outcome().elapsed().toNanos() / 1e9)),
            new Column("samples/s", epoch -> fixed(0, epoch.outcome().samplesPerSecond())),
            new Column("MB/s", epoch -> fixed(1, epoch.outcome().megabytesPerSecond())),
            new Column("backend GETs", epoch -> whole(epoch.traffic().count(RequestKind.GET))),
            new Column("all requests", epoch -> whole(epoch.traffic().total())),
            new Column("backend MB", epoch -> fixed(2, epoch.traffic().bytesDown() / 1e6)),
            new Column("hit rate", epoch -> fixed(0, 100 * epoch.hitRate()) + " %"),
            new Column("right", epoch -> whole(epoch.outcome().records().right())),
            new Column("wrong", epoch -> whole(epoch.outcome().records().wrong())),
            new Column("missing", epoch -> whole(epoch.outcome().records().missing())));

    private static String whole(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static String fixed(int decimals, double value) {
        return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }
}
