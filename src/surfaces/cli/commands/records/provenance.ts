import type { Origin, Trust } from '../../../../core/types.ts';
import type { SourceFields } from '../../../../operations/shared/source-fields.ts';
import { oneLine } from '../../../shared/escape-control.ts';

export interface Provenance {
  readonly origin: Origin;
  readonly source: string;
  readonly trust: Trust;
}

interface Dated extends Provenance, Pick<SourceFields, 'from'> {
  readonly age: string;
}

/** Who brought a record, to follow "From", and when it was or will be. A source's own line says both. */
export function provenanceOf(record: Dated): { readonly name: string; readonly when: readonly string[] } {
  if (record.from === null) return { name: originOf(record), when: [record.age] };
  const [name = '', ...when] = oneLine(record.from)
    .replace(/^From /, '')
    .split(' · ');
  return { name, when };
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
