import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../../../config/schema.ts';

const STDERR_FD = 2;

/** A log of JSON lines, by default on standard error. For a request, it contains only the fields of `RequestLine`. */
export function openLog(level: Config['log']['level'], destination?: DestinationStream): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, destination ?? pino.destination({ fd: STDERR_FD, sync: true }));
}

/** The log entry of a request: never a body, a query, the value of a header, a token or a subject. */
interface RequestLine {
  readonly request_id: string;
  readonly method: string;
  /** The path of the route, not that of the request. */
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  /** A code of the error table. */
  readonly code?: string;
}

/** Only errors of the server are logged as errors; rejected requests are `info`. */
export function logRequest(log: Logger, line: RequestLine): void {
  if (line.status >= 500) log.error(line, 'request');
  else log.info(line, 'request');
}
