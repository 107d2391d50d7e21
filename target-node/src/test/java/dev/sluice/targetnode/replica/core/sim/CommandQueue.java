package dev.sluice.targetnode.replica.core.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// The commands that wait at a controller that leads, or thinks so. It plans them by what it has applied. Those that
/// waited for the last entry are the next one: all of them have their effect, or none.
final class CommandQueue {
    /// How often commands are planned again because another entry came first.
    private static final int ATTEMPTS = 3;

    private record Waiting(Entry entry, Consumer<Optional<LogPlanner.Outcome>> answer) {}

    private final Sim sim;
    private final Controller controller;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private List<Waiting> logging = List.of();
    private int entries;

    CommandQueue(Sim sim, Controller controller) {
        this.sim = sim;
        this.controller = controller;
    }

    /// @param answer gets nothing when it is not known whether the command has an effect
    void add(Entry entry, Consumer<Optional<LogPlanner.Outcome>> answer) {
        waiting.add(new Waiting(entry, answer));
        if (logging.isEmpty()) {
            next();
        }
    }

    /// The controller leads no longer: nobody is told what becomes of them.
    void drop() {
        var dropped = new ArrayList<>(logging);
        dropped.addAll(waiting);
        waiting.clear();
        logging = List.of();
        entries++;
        dropped.forEach(one -> one.answer().accept(Optional.empty()));
    }

    private void next() {
        logging = List.copyOf(waiting);
        waiting.clear();
        if (!logging.isEmpty()) {
            plan(1);
        }
    }

    private void plan(int attempt) {
        var outcomes = new ArrayList<LogPlanner.Outcome>();
        var effective = new ArrayList<Entry>();
        var now = controller.state;
        for (var one : logging) {
            var outcome = sim.production()
                    ? ProductionPlanner.plan(now, one.entry(), controller, sim.broken())
                    : LogPlanner.plan(now, one.entry(), controller, sim.broken());
            outcomes.add(outcome);
            if (outcome.next().isPresent()) {
                now = outcome.next().get();
                effective.add(one.entry());
            }
        }
        var proposed = new Log.Proposed(controller, controller.term(), controller.state.version, now, effective);
        sim.log().proposed(proposed);
        int number = ++entries;
        controller.after(sim.log().delay(), () -> decide(number, proposed, outcomes, attempt));
    }

    private void decide(int number, Log.Proposed proposed, List<LogPlanner.Outcome> outcomes, int attempt) {
        if (number != entries) {
            return; // dropped
        }
        var batch = logging;
        switch (sim.log().decide(proposed)) {
            case LOGGED -> {
                proposed.entries().forEach(controller::made);
                logging = List.of();
                for (int i = 0; i < batch.size(); i++) {
                    batch.get(i).answer().accept(Optional.of(outcomes.get(i)));
                }
                goOn();
            }
            case OTHER_CAME_FIRST -> {
                if (attempt < ATTEMPTS) {
                    plan(attempt + 1);
                } else {
                    fail(batch);
                }
            }
            case WAITS -> controller.after(20, () -> decide(number, proposed, outcomes, attempt));
            case UNKNOWN -> fail(batch);
        }
    }

    private void fail(List<Waiting> batch) {
        logging = List.of();
        batch.forEach(one -> one.answer().accept(Optional.empty()));
        goOn();
    }

    private void goOn() {
        if (logging.isEmpty()) {
            next();
        }
    }
}
