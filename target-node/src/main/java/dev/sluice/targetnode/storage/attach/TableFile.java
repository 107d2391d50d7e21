package dev.sluice.targetnode.storage.attach;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.targetnode.storage.files.DriveThread;
import dev.sluice.targetnode.storage.spread.Copies;
import dev.sluice.targetnode.storage.spread.DriveTable;
import dev.sluice.targetnode.storage.spread.Member;
import dev.sluice.targetnode.storage.spread.Spread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// Reads and writes a drive's copy of the drive table: `.sluice/drives.json`.
final class TableFile {
    private static final int FORMAT = 1;

    /// A drive's copy.
    ///
    /// @param asked the drives that were asked to take it: it counts when half of each of these sets have it
    record Copy(DriveTable table, Set<Set<String>> asked) {}

    private final Path file;

    TableFile(Path drive) {
        this.file = drive.resolve(".sluice/drives.json");
    }

    /// @throws ChecksummedJson.DamagedException when it is not what was written
    /// @throws DriveRefusedException when a newer Sluice wrote it
    Optional<Copy> read() throws IOException {
        DriveThread.assertMayBlock();
        var json = ChecksummedJson.read(file, FORMAT);
        return json.map(found -> new Copy(parsed(found), asked(found.path("asked"))));
    }

    private static DriveTable parsed(ObjectNode json) {
        return new DriveTable(
                json.path("version").asLong(),
                json.path("formed_weight").asLong(),
                members(json.path("members")),
                spread(json.path("current")),
                earlier(json.path("earlier")),
                copies(json.path("copies")),
                new TreeSet<>(texts(json.path("detached"))));
    }

    private static SortedMap<String, Member> members(JsonNode json) {
        var members = new TreeMap<String, Member>();
        json.properties().forEach(each -> {
            var member = each.getValue();
            members.put(
                    each.getKey(),
                    new Member(
                            member.path("path").asText(),
                            member.path("weight").asLong(),
                            member.path("mount").asBoolean(),
                            member.path("disabled").asBoolean(),
                            member.path("leaving").asBoolean()));
        });
        return members;
    }

    private static Spread spread(JsonNode json) {
        var weights = new TreeMap<String, Long>();
        json.properties()
                .forEach(each -> weights.put(each.getKey(), each.getValue().asLong()));
        return new Spread(weights);
    }

    private static Set<Spread> earlier(JsonNode json) {
        var spreads = new HashSet<Spread>();
        json.forEach(each -> spreads.add(spread(each)));
        return spreads;
    }

    private static SortedMap<Long, Copies> copies(JsonNode json) {
        var copies = new TreeMap<Long, Copies>();
        json.properties().forEach(each -> {
            var number = each.getValue();
            copies.put(
                    Long.valueOf(each.getKey()),
                    new Copies(
                            number.path("wanted").asInt(),
                            number.path("least").asInt(),
                            number.path("most").asInt()));
        });
        return copies;
    }

    private static Set<String> texts(JsonNode json) {
        var texts = new TreeSet<String>();
        json.forEach(each -> texts.add(each.asText()));
        return texts;
    }

    private static Set<Set<String>> asked(JsonNode json) {
        var asked = new HashSet<Set<String>>();
        json.forEach(each -> asked.add(texts(each)));
        return asked;
    }

    void delete() throws IOException {
        Files.deleteIfExists(file);
    }

    /// Durable when it returns.
    void write(DriveTable table, Set<Set<String>> asked) throws IOException {
        DriveThread.assertMayBlock();
        var json = ChecksummedJson.begin(FORMAT)
                .put("version", table.version())
                .put("formed_weight", table.formedWeight());
        var members = json.putObject("members");
        table.members()
                .forEach((id, member) -> members.putObject(id)
                        .put("path", member.path())
                        .put("weight", member.weight())
                        .put("mount", member.mount())
                        .put("disabled", member.disabled())
                        .put("leaving", member.leaving()));
        var current = json.putObject("current");
        table.current().weights().forEach(current::put);
        var earlier = json.putArray("earlier");
        table.earlier().stream()
                .map(Spread::weights)
                .sorted(Comparator.comparing(Object::toString))
                .forEach(weights -> {
                    var spread = earlier.addObject();
                    weights.forEach(spread::put);
                });
        var copies = json.putObject("copies");
        table.copies()
                .forEach((bucket, number) -> copies.putObject(Long.toString(bucket))
                        .put("wanted", number.wanted())
                        .put("least", number.least())
                        .put("most", number.most()));
        var detached = json.putArray("detached");
        table.detached().forEach(detached::add);
        var askedOf = json.putArray("asked");
        asked.stream()
                .map(TreeSet::new)
                .sorted(Comparator.comparing(Object::toString))
                .forEach(drives -> {
                    var ids = askedOf.addArray();
                    drives.forEach(ids::add);
                });
        ChecksummedJson.write(file, json);
    }
}
