/** Limits that protect the server from clients that send too much or too slowly. */
export interface ServerLimits {
  /** The largest body of a request. */
  readonly maxBodyBytes: number;
  /** How long the headers of a request may take to arrive. */
  readonly headersTimeoutMs: number;
  /** How long a request may take to arrive, and then how long its answer may take. */
  readonly requestTimeoutMs: number;
  /** How long an operation waits for others of its caller. The rest of the time that a request may take is left for its own work. */
  readonly callerWaitMs: number;
  /** How long requests may take to end when the server stops. */
  readonly shutdownTimeoutMs: number;
  /** Connections at the same time; further ones are closed. */
  readonly maxConnections: number;
  /** Requests a second for each token, in bursts of up to twice as many; 0 sets no limit. */
  readonly requestsPerSecond: number;
}

export const SERVER_LIMITS: ServerLimits = {
  maxBodyBytes: 2_000_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  callerWaitMs: 10_000,
  shutdownTimeoutMs: 10_000,
  maxConnections: 1000,
  requestsPerSecond: 2000,
};
