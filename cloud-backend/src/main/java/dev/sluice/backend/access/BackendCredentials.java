package dev.sluice.backend.access;

import java.nio.file.Path;

/// The identity of this node at a cloud. Only the node's own configuration and files hold secrets. The text of each
/// is for people and never holds a secret.
public sealed interface BackendCredentials {
    /// Requests go unsigned: public data sets.
    record Anonymous() implements BackendCredentials {
        @Override
        public String toString() {
            return "no credentials (anonymous)";
        }
    }

    /// A named profile of the AWS files on the node.
    record Profile(String name) implements BackendCredentials {
        @Override
        public String toString() {
            return "the AWS profile '" + name + "'";
        }
    }

    /// A pair of keys in the configuration.
    record Keys(String accessKey, String secretKey) implements BackendCredentials {
        @Override
        public String toString() {
            return "the access key " + accessKey;
        }
    }

    /// A file of Google's in JSON: a service account's key, or one that names where tokens come from.
    record CredentialsFile(Path file) implements BackendCredentials {
        @Override
        public String toString() {
            return "the credentials file " + file;
        }
    }

    /// The cloud's usual chain of places: environment, files, the machine's own role.
    record DefaultChain() implements BackendCredentials {
        @Override
        public String toString() {
            return "the node's default credentials";
        }
    }
}
