package dev.sluice.cli.demo.report;

/// Text as it may stand in HTML and SVG.
final class Markup {
    private Markup() {}

    static String text(String value) {
        return value.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
