package dev.sluice.cli.demo.report;

import dev.sluice.cli.demo.cloud.RequestKind;
import dev.sluice.cli.demo.cloud.Traffic;
import dev.sluice.cli.demo.reading.EpochOutcome;
import dev.sluice.cli.demo.reading.ShardRead;
import java.util.ArrayList;
import java.util.List;

/// One epoch: what the workers read, and what it took from the cloud meanwhile.
public record EpochReport(int number, boolean cold, EpochOutcome outcome, Traffic traffic) {
    public String temperature() {
        return cold ? "cold" : "warm";
    }

    /// The share of shard reads which needed nothing from the cloud.
    public double hitRate() {
        long shards = outcome.shards().size();
        return shards == 0 ? 0 : Math.max(0, shards - traffic.count(RequestKind.GET)) / (double) shards;
    }

    /// What is not as promised, a line each; none in a good epoch.
    public List<String> complaints() {
        var complaints = new ArrayList<String>();
        var records = outcome.records();
        if (records.wrong() > 0) {
            complaints.add(about(records.wrong() + " records with a wrong digest"));
        }
        if (records.missing() > 0) {
            complaints.add(about(records.missing() + " records missing"));
        }
        outcome.failures().forEach(failure -> complaints.add(about(failure)));
        long expected = cold ? 1 : 0;
        for (ShardRead shard : outcome.shards()) {
            long gets = traffic.gets(shard.key());
            if (gets != expected) {
                complaints.add(about(shard.key() + " took " + gets + " backend GETs, not " + expected));
            }
        }
        long others =
                traffic.count(RequestKind.GET) - expected * outcome.shards().size();
        if (others != 0 && complaints.isEmpty()) {
            complaints.add(about(others + " backend GETs for other objects"));
        }
        return complaints;
    }

    private String about(String complaint) {
        return "epoch " + number + " (" + temperature() + "): " + complaint;
    }
}
