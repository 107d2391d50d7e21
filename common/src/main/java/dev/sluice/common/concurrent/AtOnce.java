package dev.sluice.common.concurrent;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.Function;

/// Puts one question to several, all at the same time.
public final class AtOnce {
    private static final Executor THREADS = Executors.newVirtualThreadPerTaskExecutor();

    private AtOnce() {}

    /// The answers in the order of those who were asked. Blocks; a single one is asked on the caller's thread.
    ///
    /// @throws RuntimeException what the first that failed failed with, without waiting for the others
    public static <T, R> List<R> ask(List<T> asked, Function<T, R> question) {
        if (asked.size() == 1) {
            return List.of(question.apply(asked.getFirst()));
        }
        var failed = new CompletableFuture<Object>();
        var answers = new ArrayList<CompletableFuture<R>>();
        for (var each : asked) {
            var answer = CompletableFuture.supplyAsync(Deadline.carried(() -> question.apply(each)), THREADS);
            var _ = answer.whenComplete((_, failure) -> {
                if (failure != null) {
                    failed.completeExceptionally(failure);
                }
            });
            answers.add(answer);
        }
        var all = CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new));
        Await.whole(CompletableFuture.anyOf(all, failed));
        return answers.stream().map(Await::whole).toList();
    }
}
