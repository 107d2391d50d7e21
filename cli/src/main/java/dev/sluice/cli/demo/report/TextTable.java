package dev.sluice.cli.demo.report;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// The report on a terminal: one line per epoch, figures right-aligned, then what is not as promised.
public final class TextTable {
    private TextTable() {}

    public static String of(DemoReport report) {
        var rows = new ArrayList<List<String>>();
        rows.add(Column.ALL.stream().map(Column::title).toList());
        for (EpochReport epoch : report.epochs()) {
            rows.add(Column.ALL.stream()
                    .map(column -> column.cell().apply(epoch))
                    .toList());
        }
        int[] widths = IntStream.range(0, Column.ALL.size())
                .map(i ->
                        rows.stream().mapToInt(row -> row.get(i).length()).max().orElse(0))
                .toArray();
        String table = rows.stream().map(row -> line(row, widths)).collect(Collectors.joining("\n"));
        return table + "\n\n" + verdict(report) + "\n";
    }

    private static String verdict(DemoReport report) {
        return report.good()
                ? "Every digest is right; the cloud gave every shard once, in the cold epoch."
                : "NOT as promised:\n  " + String.join("\n  ", report.complaints());
    }

    private static String line(List<String> row, int[] widths) {
        return IntStream.range(0, widths.length)
                .mapToObj(i -> " ".repeat(widths[i] - row.get(i).length()) + row.get(i))
                .collect(Collectors.joining("  "));
    }
}
