package dev.sluice.common.s3.config;

import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.parse.XmlBody;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// Reads the document LifecycleConfiguration, with S3's own words for what it refuses.
final class LifecycleReader {
    private static final String ABORT = "AbortIncompleteMultipartUpload";

    private LifecycleReader() {}

    static List<LifecycleRule> read(byte[] document) {
        var rules = new ArrayList<LifecycleRule>();
        var xml = XmlBody.open(document, LifecycleWriter.ROOT);
        xml.children(name -> {
            if (!name.equals("Rule")) {
                throw Elements.unknown(name, LifecycleWriter.ROOT);
            }
            if (rules.size() == Elements.MOST_RULES) {
                throw XmlBody.malformed("More than " + Elements.MOST_RULES + " rules");
            }
            rules.add(rule(xml));
        });
        xml.end();
        if (rules.isEmpty()) {
            throw XmlBody.malformed("No Rule");
        }
        return withIds(rules);
    }

    private static LifecycleRule rule(XmlBody xml) {
        var texts = new HashMap<String, String>();
        var filters = new ArrayList<LifecycleFilter>();
        var expiries = new ArrayList<Expiry>();
        var aborts = new ArrayList<Integer>();
        xml.children(name -> {
            switch (name) {
                case "ID", "Status", "Prefix" -> Elements.putOnce(texts, name, Elements.text(xml));
                case "Filter" -> filters.add(FilterReader.filter(xml));
                case "Expiration" -> expiries.add(expiry(xml));
                case ABORT -> aborts.add(abortDays(xml));
                case "Transition", "NoncurrentVersionTransition" ->
                    throw S3Failure.notImplemented("lifecycle transitions: there is one storage class");
                case "NoncurrentVersionExpiration" -> throw noVersions(name);
                default -> throw Elements.unknown(name, "Rule");
            }
        });
        var prefix = Optional.ofNullable(texts.get("Prefix"));
        var filter = Elements.atMostOne("Filter", filters);
        if (prefix.isPresent() == filter.isPresent()) {
            throw XmlBody.malformed("A Rule needs a Filter or a Prefix, not both");
        }
        var rule = new LifecycleRule(
                id(texts.getOrDefault("ID", "")),
                isEnabled(texts.getOrDefault("Status", "")),
                filter.orElseGet(() -> LifecycleFilter.ofPrefix(prefix.orElseThrow())),
                Elements.atMostOne("Expiration", expiries),
                Elements.atMostOne(ABORT, aborts),
                prefix.isPresent());
        checkActions(rule);
        return rule;
    }

    private static String id(String id) {
        if (Elements.isLonger(id, Elements.LONGEST_ID)) {
            throw S3Failure.invalidArgument("ID length should not exceed allowed limit of " + Elements.LONGEST_ID);
        }
        return id;
    }

    private static boolean isEnabled(String status) {
        return switch (status.strip()) {
            case "Enabled" -> true;
            case "Disabled" -> false;
            default -> throw XmlBody.malformed("The Status of a Rule is neither Enabled nor Disabled");
        };
    }

    /// An upload that goes on has neither tags nor a size yet.
    private static void checkActions(LifecycleRule rule) {
        if (rule.expiry().isEmpty() && rule.abortDays().isEmpty()) {
            throw S3Failure.invalidRequest("At least one action needs to be specified in a rule");
        }
        if (rule.abortDays().isPresent() && !rule.filter().tags().isEmpty()) {
            throw S3Failure.invalidRequest(ABORT + " cannot be specified with Tags.");
        }
        if (rule.abortDays().isPresent() && rule.filter().hasSize()) {
            throw S3Failure.invalidRequest(ABORT + " cannot be specified with Object Size.");
        }
    }

    private static Expiry expiry(XmlBody xml) {
        var found = new ArrayList<Expiry>();
        xml.children(name -> {
            switch (name) {
                case "Days" -> found.add(new Expiry.Days(days(name, "Expiration", xml)));
                case "Date" ->
                    found.add(new Expiry.Date(midnight(Elements.text(xml).strip())));
                case "ExpiredObjectDeleteMarker" -> throw noVersions(name);
                default -> throw Elements.unknown(name, "Expiration");
            }
        });
        if (found.size() != 1) {
            throw XmlBody.malformed("An Expiration needs either Days or a Date");
        }
        return found.getFirst();
    }

    private static int abortDays(XmlBody xml) {
        var found = new ArrayList<Integer>();
        xml.children(name -> {
            if (!name.equals("DaysAfterInitiation")) {
                throw Elements.unknown(name, ABORT);
            }
            found.add(days(name, ABORT, xml));
        });
        return Elements.atMostOne("DaysAfterInitiation", found)
                .orElseThrow(() -> XmlBody.malformed(ABORT + " needs DaysAfterInitiation"));
    }

    private static int days(String name, String action, XmlBody xml) {
        var text = Elements.text(xml).strip();
        long days = Elements.whole(name, text);
        if (days < 1) {
            throw S3Failure.invalidArgument(
                    name, text, "'" + name + "' for " + action + " action must be a positive integer");
        }
        if (days > Integer.MAX_VALUE) {
            throw XmlBody.malformed(name + " is more than " + Integer.MAX_VALUE);
        }
        return (int) days;
    }

    /// A time with its offset, or a day alone, which begins at midnight.
    private static Instant midnight(String date) {
        Instant instant;
        try {
            instant = date.indexOf('T') < 0
                    ? LocalDate.parse(date).atStartOfDay().toInstant(ZoneOffset.UTC)
                    : OffsetDateTime.parse(date).toInstant();
        } catch (DateTimeException _) {
            throw XmlBody.malformed("A Date is not in ISO 8601 format");
        }
        if (!instant.equals(instant.truncatedTo(ChronoUnit.DAYS))) {
            throw S3Failure.invalidArgument("Date", date, "'Date' must be at midnight GMT");
        }
        int year = instant.atOffset(ZoneOffset.UTC).getYear();
        if (year < 0 || year > 9999) {
            throw XmlBody.malformed("The year of a Date has more than four digits");
        }
        return instant;
    }

    private static S3Failure noVersions(String element) {
        return S3Failure.notImplemented(element + " (no bucket has versions)");
    }

    private static List<LifecycleRule> withIds(List<LifecycleRule> rules) {
        var ids = new HashSet<String>();
        for (var rule : rules) {
            if (!rule.id().isEmpty() && !ids.add(rule.id())) {
                throw S3Failure.invalidArgument("Rule ID must be unique. Found same ID for more than one rule");
            }
        }
        return rules.stream()
                .map(rule -> rule.id().isEmpty() ? rule.withId(newId(rule, ids)) : rule)
                .toList();
    }

    /// An ID that no other rule has. It follows from what the rule says, so every node that reads the document finds
    /// the same.
    private static String newId(LifecycleRule rule, Set<String> ids) {
        var content = LifecycleWriter.document(List.of(rule));
        int equalOnes = 0;
        String id;
        do {
            id = UUID.nameUUIDFromBytes((equalOnes++ + content).getBytes(StandardCharsets.UTF_8))
                    .toString();
        } while (!ids.add(id));
        return id;
    }
}
