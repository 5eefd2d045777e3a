import type { Origin, Trust } from '../../../core/types.ts';
import { oneLine } from '../neutralise.ts';

export interface Provenance {
  readonly origin: Origin;
  readonly source: string;
  readonly trust: Trust;
}

/**
 * Where a record came from, to follow "From": `vault notes`, `Google Tasks (external)`, `memory (mcp, agent)`. What is
 * the operator's own word says nothing of trust.
 */
export function originOf({ origin, source, trust }: Provenance): string {
  const name = oneLine(source);
  const distance = trust === 'operator' ? [] : [trust];
  const within = (...said: readonly string[]): string => (said.length === 0 ? '' : ` (${said.join(', ')})`);
  switch (origin) {
    case 'vault':
      return (name === 'vault' ? 'vault' : `vault ${name}`) + within(...distance);
    case 'source':
      return name + within(...distance);
    case 'memory':
      return `memory${within(name, ...distance)}`;
    case 'fact':
      return `facts${within(name, ...distance)}`;
    case 'audit':
      return `the audit log${within(...distance)}`;
  }
}
