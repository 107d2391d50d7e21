package dev.sluice.cli.command.cluster;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `sluice completion bash|zsh`.
@Command(
        name = "completion",
        description = "Prints a completion script: source <(sluice completion bash)",
        mixinStandardHelpOptions = true)
public final class CompletionCommand implements Callable<Integer> {
    /// The shells picocli's script serves: zsh through bashcompinit, which the script calls itself.
    enum Shell {
        BASH,
        ZSH
    }

    private final CommandLine root;

    @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}")
    private Shell shell = Shell.BASH;

    public CompletionCommand(CommandLine root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        if (shell == Shell.ZSH) {
            root.getOut().println("autoload -U +X compinit && compinit");
        }
        root.getOut().print(AutoComplete.bash("sluice", root));
        root.getOut().flush();
        return 0;
    }
}
