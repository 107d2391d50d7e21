package dev.sluice.cli.node;

import ch.qos.logback.classic.LoggerContext;
import dev.sluice.cli.config.LogConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Puts the log of this process where its settings say. Read when the first logger is asked for, so before that.
final class NodeLog {
    private NodeLog() {}

    static void open(String name, LogConfig config) {
        System.setProperty("sluice.node", name);
        System.setProperty("sluice.log.level", config.level().toString());
        System.setProperty("sluice.log.size", Long.toString(config.fileSize().bytes()));
        System.setProperty("sluice.log.files", Integer.toString(config.files()));
        System.setProperty("sluice.log.file", config.path());
        System.setProperty(
                "logback.configurationFile", config.path().isEmpty() ? "logback-console.xml" : "logback-file.xml");
    }

    /// One line for the operator; the trace only where something lies behind it.
    static void refused(StartRefused refused) {
        log().error("{}", refused.getMessage(), refused.getCause());
    }

    static void failed(RuntimeException failure) {
        log().error("the process ends: {}", failure.toString(), failure);
    }

    /// Writes what is still queued.
    static void close() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.stop();
        }
    }

    private static Logger log() {
        return LoggerFactory.getLogger(NodeLog.class);
    }
}
