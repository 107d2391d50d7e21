package dev.sluice.cli.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.IntStream;

/// What commands print: tables for people, JSON for programs.
public final class Output {
    private Output() {}

    public static void json(PrintWriter out, Object value) {
        try {
            out.println(JsonMapper.builder()
                    .addModule(new Jdk8Module())
                    .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .build()
                    .writeValueAsString(value));
        } catch (JsonProcessingException unexpected) {
            throw new IllegalStateException("a result that is not JSON", unexpected);
        }
        out.flush();
    }

    /// Columns as wide as their widest value; no lines for no rows.
    public static void table(PrintWriter out, List<String> heads, List<List<String>> rows) {
        var widths = IntStream.range(0, heads.size())
                .map(column -> Math.max(
                        heads.get(column).length(),
                        rows.stream()
                                .mapToInt(row -> row.get(column).length())
                                .max()
                                .orElse(0)))
                .toArray();
        line(out, widths, heads);
        rows.forEach(row -> line(out, widths, row));
        out.flush();
    }

    private static void line(PrintWriter out, int[] widths, List<String> values) {
        var text = new StringBuilder();
        for (var column = 0; column < widths.length; column++) {
            var value = values.get(column);
            text.append(value).repeat(" ", widths[column] - value.length() + 2);
        }
        out.println(text.toString().stripTrailing());
    }
}
