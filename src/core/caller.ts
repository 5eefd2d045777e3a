import type { Trust } from './types.ts';

/** On whose behalf something is done. */
export interface Caller {
  /** Whose memory it is: the authenticated subject. Nobody reads or changes another's. */
  readonly namespace: string;
  /** Who acts, for the audit log: a Unix user, the name of a token, a client. */
  readonly actor: string;
  /** Through what: `cli`, `library`, `mcp`, `rest`. Records that it writes carry it as their source. */
  readonly surface: string;
  /** How far what it writes can be trusted. */
  readonly trust: Trust;
}
