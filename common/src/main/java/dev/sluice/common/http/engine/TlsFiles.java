package dev.sluice.common.http.engine;

import java.nio.file.Path;

/// PEM files of a server: its certificate chain, its private key (PKCS#8), and whom it trusts when it forwards to
/// `https` nodes.
public record TlsFiles(Path certificates, Path key, Path trusted) {}
