package dev.sluice.common.s3.config;

import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.answer.XmlWriter;
import dev.sluice.common.s3.parse.XmlBody;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The document CORSConfiguration, with S3's own words for what it refuses.
final class CorsXml {
    private static final String ROOT = "CORSConfiguration";
    static final Set<String> METHODS = Set.of("GET", "PUT", "POST", "DELETE", "HEAD");

    private CorsXml() {}

    static List<CorsRule> read(byte[] document) {
        var rules = new ArrayList<CorsRule>();
        var xml = XmlBody.open(document, ROOT);
        xml.children(name -> {
            if (!name.equals("CORSRule")) {
                throw Elements.unknown(name, ROOT);
            }
            if (rules.size() == Elements.MOST_RULES) {
                throw S3Failure.invalidRequest("The number of CORS rules should not exceed allowed limit of "
                        + Elements.MOST_RULES + " rules.");
            }
            rules.add(rule(xml));
        });
        xml.end();
        if (rules.isEmpty()) {
            throw XmlBody.malformed("No CORSRule");
        }
        return rules;
    }

    private static CorsRule rule(XmlBody xml) {
        var texts = new HashMap<String, String>();
        var origins = new ArrayList<String>();
        var methods = new ArrayList<String>();
        var headers = new ArrayList<String>();
        var exposed = new ArrayList<String>();
        xml.children(name -> {
            switch (name) {
                case "ID", "MaxAgeSeconds" -> Elements.putOnce(texts, name, Elements.text(xml));
                case "AllowedOrigin" -> origins.add(pattern(name, xml));
                case "AllowedMethod" -> methods.add(method(xml));
                case "AllowedHeader" -> headers.add(pattern(name, xml));
                case "ExposeHeader" -> exposed.add(exposed(xml));
                default -> throw Elements.unknown(name, "CORSRule");
            }
        });
        if (origins.isEmpty() || methods.isEmpty()) {
            throw XmlBody.malformed("A CORSRule needs an AllowedOrigin and an AllowedMethod");
        }
        var id = Optional.ofNullable(texts.get("ID"));
        if (id.isPresent() && Elements.isLonger(id.get(), Elements.LONGEST_ID)) {
            throw XmlBody.malformed("The ID of a CORSRule is longer than " + Elements.LONGEST_ID + " characters");
        }
        return new CorsRule(
                id,
                origins,
                methods,
                headers,
                exposed,
                Optional.ofNullable(texts.get("MaxAgeSeconds")).map(CorsXml::seconds));
    }

    private static String pattern(String name, XmlBody xml) {
        var pattern = Elements.text(xml).strip();
        if (pattern.indexOf('*') != pattern.lastIndexOf('*')) {
            throw S3Failure.invalidRequest(name + " \"" + pattern + "\" can not have more than one wildcard.");
        }
        return pattern;
    }

    private static String method(XmlBody xml) {
        var method = Elements.text(xml).strip();
        if (!METHODS.contains(method)) {
            throw S3Failure.invalidRequest(
                    "Found unsupported HTTP method in CORS config. Unsupported method is " + method);
        }
        return method;
    }

    /// A header's name goes into a header of answers, and nothing may come in with it: visible ASCII only.
    private static String exposed(XmlBody xml) {
        var header = Elements.text(xml).strip();
        if (header.contains("*")) {
            throw S3Failure.invalidRequest("ExposeHeader \"" + header
                    + "\" contains wildcard. We currently do not support wildcard for ExposeHeader.");
        }
        if (header.isEmpty() || !header.chars().allMatch(c -> c >= ' ' && c <= '~')) {
            throw XmlBody.malformed("An ExposeHeader is not the name of a header");
        }
        return header;
    }

    private static int seconds(String text) {
        long seconds = Elements.whole("MaxAgeSeconds", text);
        if (seconds < 0 || seconds > Integer.MAX_VALUE) {
            throw XmlBody.malformed("MaxAgeSeconds is not between 0 and " + Integer.MAX_VALUE);
        }
        return (int) seconds;
    }

    static String write(List<CorsRule> rules) {
        var xml = XmlWriter.document(ROOT, 1024);
        for (var rule : rules) {
            xml.open("CORSRule");
            rule.id().ifPresent(id -> xml.element("ID", id));
            rule.origins().forEach(origin -> xml.element("AllowedOrigin", origin));
            rule.methods().forEach(method -> xml.element("AllowedMethod", method));
            rule.headers().forEach(header -> xml.element("AllowedHeader", header));
            rule.exposed().forEach(header -> xml.element("ExposeHeader", header));
            rule.maxAge().ifPresent(seconds -> xml.element("MaxAgeSeconds", seconds));
            xml.close("CORSRule");
        }
        return Elements.string(xml.close(ROOT));
    }
}
