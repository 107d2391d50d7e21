package dev.sluice.proxy;

import dev.sluice.common.auth.Authenticator;
import dev.sluice.common.auth.PageTokens;
import dev.sluice.common.auth.RedirectTokens;
import dev.sluice.common.cluster.BackendSpec;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.http.HttpHandler;
import dev.sluice.common.metrics.Metrics;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerTokens;
import dev.sluice.common.s3.parse.S3RequestParser;
import dev.sluice.proxy.gateway.Targets;
import java.time.InstantSource;
import java.util.function.Consumer;
import java.util.function.Function;

/// What a gateway is made of.
///
/// @param self the node it belongs to
/// @param region the one region of this cluster, or `*` for any
/// @param encryptedDrives whether the operator says that all drives are encrypted below Sluice
/// @param redirects makes and checks the tokens of redirects
/// @param pages the same of links to the cluster's page
/// @param peerApi what this node answers to other nodes
/// @param ready whether clients are to be sent here now
/// @param metricsOf of the process of a node; says Unavailable when it does not answer. May block
/// @param backendRules throws an IllegalArgumentException for a backend that this node's configuration refuses
public record NodeParts(
        NodeId self,
        String region,
        boolean encryptedDrives,
        RedirectTokens redirects,
        PageTokens pages,
        S3RequestParser parser,
        Authenticator authenticator,
        PeerTokens peerTokens,
        ControlPlane control,
        ClusterViews views,
        Targets targets,
        HttpHandler peerApi,
        HttpHandler health,
        HttpHandler ready,
        HttpHandler clusterHealth,
        HttpHandler metrics,
        Function<Node, Metrics> metricsOf,
        Consumer<BackendSpec> backendRules,
        InstantSource clock) {}
