import type { Origin } from '../../../core/types.ts';
import { oneLine } from '../neutralise.ts';

/** Where a record came from, to follow "From": `vault notes`, `Google Tasks`, `memory (cli)`. */
export function originOf({ origin, source }: { readonly origin: Origin; readonly source: string }): string {
  const name = oneLine(source);
  switch (origin) {
    case 'vault':
      return name === 'vault' ? 'vault' : `vault ${name}`;
    case 'source':
      return name;
    case 'memory':
      return `memory (${name})`;
    case 'fact':
      return `facts (${name})`;
    case 'audit':
      return 'the audit log';
  }
}
