/** Limits that protect the server from clients that send too much or too slowly. */
export const SERVER_LIMITS = {
  /** The largest body of a request. */
  maxBodyBytes: 2_000_000,
  /** How long the headers of a request may take to arrive. */
  headersTimeoutMs: 10_000,
  /** How long a request may take to arrive, and then how long its answer may take. */
  requestTimeoutMs: 30_000,
  /** How long an operation waits for others of its caller. The rest of the time that a request may take is left for its own work. */
  callerWaitMs: 10_000,
  /** How long requests may take to end when the server stops. Docker kills a container after 10 seconds. */
  shutdownTimeoutMs: 8000,
  /** Connections at the same time; further ones are closed. */
  maxConnections: 1000,
  /** Requests a second for each token, in bursts of up to twice as many; 0 sets no limit. */
  requestsPerSecond: 2000,
};
export type ServerLimits = Readonly<typeof SERVER_LIMITS>;
