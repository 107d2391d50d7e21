package dev.sluice.bench.load;

/// One request of a workload. `answerLength` is what the answer's body (for HEAD, its Content-Length) must have, or
/// `ANY_LENGTH`. A reusable step will come again, so its head is worth keeping.
public record Step(Verb verb, String path, String query, long answerLength, boolean reusable) {
    public static final long ANY_LENGTH = -1;

    /// How a request is sent, and what becomes of its answer.
    public enum Verb {
        GET("GET"),
        HEAD("HEAD"),
        PUT("PUT"),
        CREATE_BUCKET("PUT"),
        LIST("GET");

        private final String method;

        Verb(String method) {
            this.method = method;
        }

        public String method() {
            return method;
        }

        boolean sendsBody() {
            return this == PUT;
        }

        /// A bucket that is there already is as good as a new one.
        boolean accepts(int status) {
            return status / 100 == 2 || (this == CREATE_BUCKET && status == 409);
        }
    }

    public static Step get(String path, long size) {
        return new Step(Verb.GET, path, "", size, true);
    }

    public static Step head(String path, long size) {
        return new Step(Verb.HEAD, path, "", size, true);
    }

    public static Step put(String path, boolean reusable) {
        return new Step(Verb.PUT, path, "", ANY_LENGTH, reusable);
    }

    public static Step createBucket(String path) {
        return new Step(Verb.CREATE_BUCKET, path, "", ANY_LENGTH, false);
    }

    public static Step list(String path, String query) {
        return new Step(Verb.LIST, path, query, ANY_LENGTH, false);
    }
}
