package dev.sluice.cli.command;

import dev.sluice.cli.failure.CommandFailure;
import java.io.Console;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/// Asks before something that cannot be undone.
///
/// @param terminal shows a question and returns the line that is typed; empty where no one can be asked
public record Confirmation(Optional<UnaryOperator<String>> terminal) {
    private static final Set<String> CONSENT = Set.of("y", "yes");

    public static Confirmation onTerminal() {
        return new Confirmation(Optional.ofNullable(System.console())
                .filter(Console::isTerminal)
                .map(console -> question ->
                        Optional.ofNullable(console.readLine("%s", question)).orElse("")));
    }

    /// @throws CommandFailure without consent
    public void require(String consequence) {
        var ask = terminal.orElseThrow(() -> CommandFailure.refused(consequence + ". Confirm it with --yes"));
        var typed = ask.apply(consequence + ". Continue? [y/N] ").strip().toLowerCase(Locale.ROOT);
        if (!CONSENT.contains(typed)) {
            throw CommandFailure.refused("not confirmed: nothing was changed");
        }
    }
}
