import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../../../config/schema.ts';

const STDERR = 2;

/** JSON lines on standard error, or where else one is told. Nothing of a request but what `RequestLine` names goes in. */
export function openLog(level: Config['log']['level'], destination?: DestinationStream): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, destination ?? pino.destination({ fd: STDERR, sync: true }));
}

/** What is told of a request: never a body, a query, a header's value, a token or a subject. */
export interface RequestLine {
  readonly request_id: string;
  readonly method: string;
  /** As it is declared, not as it was asked for. */
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  /** Of the error table. */
  readonly code?: string;
}

/** Refusals are `info` like any answer; only what Loci cannot do is louder. */
export function logRequest(log: Logger, line: RequestLine): void {
  if (line.status >= 500) log.error(line, 'request');
  else log.info(line, 'request');
}
