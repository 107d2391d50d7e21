package dev.sluice.common.cluster.slots;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Makes equal parts of rows one object: the slots of a cluster have few different lists of members.
public final class Interner {
    private final Map<Member, Member> members = new HashMap<>();
    private final Map<List<Member>, List<Member>> lists = new HashMap<>();
    private final Map<List<String>, List<String>> fences = new HashMap<>();
    private final Map<SlotRow, SlotRow> rows = new HashMap<>();

    public SlotRow row(SlotRow row) {
        var known = rows.get(row);
        if (known != null) {
            return known;
        }
        var slim = new SlotRow(
                row.epoch(),
                list(row.members()),
                row.primarySince(),
                row.driveSince(),
                fence(row.fence()),
                row.opened());
        rows.put(slim, slim);
        return slim;
    }

    private List<Member> list(List<Member> list) {
        var known = lists.get(list);
        if (known != null) {
            return known;
        }
        var slim = new Member[list.size()];
        for (int at = 0; at < slim.length; at++) {
            slim[at] = members.computeIfAbsent(list.get(at), same -> same);
        }
        var copied = List.of(slim); // what the row keeps
        lists.put(copied, copied);
        return copied;
    }

    private List<String> fence(List<String> fence) {
        return fences.computeIfAbsent(List.copyOf(fence), same -> same);
    }
}
