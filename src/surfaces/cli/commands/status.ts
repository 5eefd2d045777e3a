import { formatAge } from '../../../core/time/age.ts';
import { formatCount } from '../../../core/text/format-count.ts';
import { formatVaultChanges } from '../../../engine/vaults/vault-changes.ts';
import type { StatusOutput } from '../../../operations/health/status.ts';
import { shellWord } from '../../shared/shell-word.ts';
import { oneLine } from '../../shared/escape-control.ts';
import type { OperationCommand, View } from './operation-command.ts';

export const status: OperationCommand<StatusOutput> = {
  render: (output, view) => {
    const { store, namespace, vaults, unconfigured_vaults, sources } = output;
    const rows = [
      ['home', output.home],
      [
        'store',
        `${store.path} (${store.driver}, ${size(store.bytes)}, schema ${String(store.schema_version)})`,
      ],
      ['namespace', namespaceLine(namespace, output.other_namespaces)],
      ['records', `${String(output.records)}${bySource(output.by_source)}`],
      ['passages', `${String(output.passages)}, ${formatCount(output.terms, 'different word')}`],
      ['embeddings', embeddingsLine(output)],
      ...vaults.map((vault, i) => [i === 0 ? 'vaults' : '', vaultLine(vault)]),
      ...unconfigured_vaults.map(({ name, records }, i) => [
        i === 0 ? 'unconfigured' : '',
        `${name}: ${formatCount(records, 'note')}, not in the settings; see \`loci doctor\``,
      ]),
      ...sources.map((source, i) => [i === 0 ? 'sources' : '', sourceLine(source)]),
      ...(vaults.length === 0 ? [['vaults', 'none yet: `loci index PATH` adds one']] : []),
    ];
    return rows.map(([name = '', value = '']) => row(name, value, view)).join('');
  },
};

function row(name: string, value: string, { style }: View): string {
  return `${style.dim(name.padEnd(14))}${oneLine(value)}\n`;
}

function vaultLine({
  name,
  path,
  enabled,
  paused,
  records,
  last_read,
  changes,
  skipped,
  unreadable,
}: StatusOutput['vaults'][number]): string {
  if (!enabled) return `${name}: ${formatCount(records, 'note')}, ${path}, disabled`;
  const read =
    last_read === null ? 'not indexed yet' : `read ${formatAge(Date.parse(last_read), Date.now())}`;
  const changed = changes === null ? '' : formatVaultChanges(changes);
  const parts = [
    `${name}: ${formatCount(records, 'note')}, ${path}, ${read}`,
    ...(changed === '' ? [] : [`since then ${changed}: run \`loci index\``]),
    ...(skipped === null || skipped === 0 ? [] : [`${String(skipped)} left out: \`loci doctor\` says why`]),
    ...(unreadable === null ? [] : [unreadable]),
    ...(paused ? [`paused: ${resumeCommand(name)}`] : []),
  ];
  return parts.join('; ');
}

function sourceLine({
  id,
  name,
  condition,
  documents,
  last_refresh,
}: StatusOutput['sources'][number]): string {
  const read = last_refresh === null ? '' : `, read ${formatAge(Date.parse(last_refresh), Date.now())}`;
  const resume = condition === 'paused' ? `: ${resumeCommand(id)}` : '';
  return `${name}: ${formatCount(documents, 'document')}${read}, ${condition}${resume}`;
}

function resumeCommand(id: string): string {
  return `\`loci sources resume ${shellWord(id)}\``;
}

function namespaceLine(namespace: string, others: number | null): string {
  return others === 0 || others === null
    ? namespace
    : `${namespace} (and ${String(others)} more in this store)`;
}

function bySource(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts).sort(([, a], [, b]) => b - a);
  if (entries.length === 0) return '';
  return ` (${entries.map(([source, count]) => `${source} ${String(count)}`).join(', ')})`;
}

function embeddingsLine({ embedding }: StatusOutput): string {
  const { configured, provider, model, dimensions, vectors, pending, other_languages: other } = embedding;
  if (configured === 'none') return 'off: the provider is none';
  if (provider === null) return `${configured}; nothing is embedded yet`;
  const waiting =
    pending === 0
      ? ''
      : `, ${formatCount(pending, 'text')} to embed: ${embedding.running_in === null ? 'run `loci index`' : `${embedding.running_in} is working on it`}`;
  const language =
    other === null
      ? ''
      : `; ${String(Math.round(100 * other))}% of the newest records are not in its language`;
  return `${provider} ${model ?? ''}, ${String(dimensions)} dimensions, ${formatCount(vectors, 'vector')}${waiting}${language}`;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `3.2 MB`, in powers of 1000. */
function size(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** step).toFixed(step === 0 ? 0 : 1)} ${UNITS[step] ?? ''}`;
}
