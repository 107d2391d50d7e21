package dev.sluice.targetnode.controller.judge;

import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.controller.log.LogServer;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/// What a controller says to another one, several times a second, also as the answer.
///
/// @param number greater than that of each status before, also of an earlier process
/// @param boot its boot number; 0 while the log has none of this life
/// @param lapsed targets whose promises have lapsed, with the versions of their entries. Nothing is promised to them
///     before there is a later entry
/// @param returned targets that beat to it though its log says that they are down, with their incarnations
public record ControllerStatus(
        NodeId controller,
        long number,
        LogServer seat,
        int boot,
        SortedMap<NodeId, Long> lapsed,
        SortedMap<NodeId, Integer> returned) {
    public ControllerStatus {
        lapsed = Collections.unmodifiableSortedMap(new TreeMap<>(lapsed));
        returned = Collections.unmodifiableSortedMap(new TreeMap<>(returned));
    }
}
