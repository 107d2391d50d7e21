package dev.sluice.testing.summary;

import dev.sluice.testing.PromiseBroken;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/// One class's report by Surefire, `TEST-*.xml`. Its format: a `testcase` has no child when the test passed, `skipped`,
/// `failure` or `error`, or `flakyFailure`s and `flakyError`s when it passed after those.
///
/// @param name of the class, without its package
record SuiteReport(String module, String name, double seconds, int tests, int skipped, List<Outcome> outcomes) {
    SuiteReport {
        outcomes = List.copyOf(outcomes);
    }

    static SuiteReport read(String module, Path file) throws IOException {
        try {
            var suite = DocumentBuilderFactory.newDefaultInstance()
                    .newDocumentBuilder()
                    .parse(file.toFile())
                    .getDocumentElement();
            var name = simple(suite.getAttribute("name"));
            var log = file.resolveSibling(suite.getAttribute("name") + "-output.txt")
                    .toString();
            var outcomes = new ArrayList<Outcome>();
            for (var test : elements(suite.getElementsByTagName("testcase")).toList()) {
                outcome(module, name, log, test).ifPresent(outcomes::add);
            }
            return new SuiteReport(
                    module,
                    name,
                    Double.parseDouble(suite.getAttribute("time").replace(",", "")),
                    Integer.parseInt(suite.getAttribute("tests")),
                    Integer.parseInt(suite.getAttribute("skipped")),
                    outcomes);
        } catch (SAXException | ParserConfigurationException unreadable) {
            throw new IOException(file + " is no report of Surefire: " + unreadable.getMessage(), unreadable);
        }
    }

    private static Optional<Outcome> outcome(String module, String suite, String log, Element test) {
        var name = test.getAttribute("name");
        var where = "%s: %s%s".formatted(module, suite, name.isEmpty() ? "" : "." + name);
        return first(test, "failure", "error")
                .map(found -> outcome(Outcome.Kind.FAILED, where, found, log))
                .or(() -> first(test, "flakyFailure", "flakyError")
                        .map(found -> outcome(Outcome.Kind.FLAKY, where, found, log)))
                .or(() -> first(test, "skipped").map(found -> outcome(Outcome.Kind.SKIPPED, where, found, log)));
    }

    private static Outcome outcome(Outcome.Kind kind, String test, Element found, String log) {
        var text = found.getTextContent();
        var message = found.getAttribute("message");
        if (message.isEmpty()) {
            // an exception's first line: "type: message"
            message = text.strip().lines().findFirst().orElse("").replaceFirst("^[\\w.$]*TestAbortedException:? *", "");
        }
        boolean promise = Stream.of(found.getAttribute("type"), text).anyMatch(SuiteReport::namesBrokenPromise);
        return new Outcome(kind, test, message.strip(), promise, log);
    }

    /// The type itself, or one that extends it and is thrown from its constructor or caused by it.
    private static boolean namesBrokenPromise(String text) {
        return text.contains(PromiseBroken.class.getName());
    }

    private static Optional<Element> first(Element test, String... names) {
        return elements(test.getChildNodes())
                .filter(child -> List.of(names).contains(child.getTagName()))
                .findFirst();
    }

    private static Stream<Element> elements(NodeList nodes) {
        return IntStream.range(0, nodes.getLength())
                .mapToObj(nodes::item)
                .filter(Element.class::isInstance)
                .map(Element.class::cast);
    }

    private static String simple(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }
}
