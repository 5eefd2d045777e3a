import { formatAge } from '../../../core/time/age.ts';
import { formatCount } from '../../../core/text/format-count.ts';
import { formatVaultChanges } from '../../../engine/reading/vault-states.ts';
import type { StatusOutput } from '../../../engine/health/status.ts';
import { shellWord } from '../../../core/text/split-command.ts';
import { keyValues, type Row } from '../format/output-text.ts';
import { generationText } from '../format/phrases.ts';
import { durationText } from '../format/times.ts';
import type { OperationCommand } from './operation-command.ts';

/** The status of a namespace, and of others that an agent reads too. */
interface SharedStatus extends StatusOutput {
  readonly shared?: readonly StatusOutput[];
}

export const status: OperationCommand<SharedStatus> = {
  render: (output, view) => {
    const { home, store, namespace, vaults, shared, settings_problem: problem } = output;
    const isOfAgent = shared !== undefined;
    const bytes = store.bytes === null ? '' : `${size(store.bytes)}, `;
    const storeLine = `${store.path} (${store.driver}, ${bytes}schema ${String(store.schema_version)})`;
    const others = isOfAgent ? null : output.other_namespaces;
    const blocks: Row[][] = [
      [
        ['home', home],
        ...(problem === null ? [] : [['settings', problem] as const]),
        ['store', storeLine],
        ['namespace', namespaceLine(namespace, others)],
        ...contentRows(output, isOfAgent ? 'openclaw memory index' : 'loci index'),
        ...(vaults.length === 0 && !isOfAgent
          ? [['vaults', 'none yet: `loci index PATH` adds one'] as const]
          : []),
      ],
      ...(shared ?? []).map((each): Row[] => [
        ['also reads', each.namespace],
        ...contentRows(each, 'openclaw loci index'),
      ]),
    ];
    return blocks.map((rows) => keyValues(rows, view)).join('\n');
  },
};

/** The contents of a namespace. @param index the command that reads its vaults */
function contentRows(output: StatusOutput, index: string): Row[] {
  const { vaults, unconfigured_vaults, sources } = output;
  return [
    ['records', `${String(output.records)}${bySource(output.by_source)}`],
    ['passages', `${String(output.passages)}, ${formatCount(output.terms, 'different word')}`],
    ['embeddings', embeddingsLine(output, index)],
    ...changeRows(output),
    ...relationRows(output, index),
    ...quotaRows(output),
    ...vaults.map((vault, i) => [i === 0 ? 'vaults' : '', vaultLine(vault, index)] as const),
    ...unconfigured_vaults.map(
      ({ name, records, settings }, i) =>
        [
          i === 0 ? 'unconfigured' : '',
          `${name}: ${formatCount(records, 'note')}, ${settings === null ? 'not in the settings; see `loci doctor`' : `of the settings at ${settings}`}`,
        ] as const,
    ),
    ...sources.map((source, i) => [i === 0 ? 'sources' : '', sourceLine(source)] as const),
  ];
}

/** The limits that the operator has set. */
function quotaRows({ quota: { records, bytes, requests_per_minute: requests } }: StatusOutput): Row[] {
  const limits = [
    ...(records.limit === null ? [] : [`${String(records.used)} of ${String(records.limit)} records`]),
    ...(bytes.limit === null ? [] : [`${size(bytes.used)} of ${size(bytes.limit)} of text`]),
    ...(requests === null ? [] : [`${formatCount(requests, 'request')} a minute`]),
  ];
  return limits.length === 0 ? [] : [['quota', limits.join(', ')]];
}

function vaultLine(
  {
    name,
    path,
    enabled,
    paused,
    records,
    last_read,
    changes,
    skipped,
    unreadable,
  }: StatusOutput['vaults'][number],
  index: string,
): string {
  if (!enabled) return `${name}: ${formatCount(records, 'note')}, ${path}, disabled`;
  const read =
    last_read === null ? 'not indexed yet' : `read ${formatAge(Date.parse(last_read), Date.now())}`;
  const changed = changes === null ? '' : formatVaultChanges(changes);
  const parts = [
    `${name}: ${formatCount(records, 'note')}, ${path}, ${read}`,
    ...(changed === '' ? [] : [`since then ${changed}: run \`${index}\``]),
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

function embeddingsLine({ embedding }: StatusOutput, index: string): string {
  const { configured, provider, model, dimensions, vectors, pending, other_languages: other } = embedding;
  if (configured === 'none') return 'off: the provider is none';
  if (provider === null) return `${configured}; nothing is embedded yet`;
  const { running_in: process, left_ms: left } = embedding;
  const percent = Math.floor((100 * vectors) / Math.max(1, vectors + pending));
  const rest = left === null ? '' : `, ${durationText(left / 1000)} left`;
  const worker =
    process === null ? `run \`${index}\`` : `${process} is working on it, ${String(percent)}% done${rest}`;
  // During a change of the model, the next rows say what to run.
  const remedy = embedding.change === null ? `: ${worker}` : '';
  const waiting = pending === 0 ? '' : `, ${formatCount(pending, 'text')} to embed${remedy}`;
  const language =
    other === null
      ? ''
      : `; ${String(Math.round(100 * other))}% of the newest records are not in its language`;
  return `${provider} ${model ?? ''}, ${String(dimensions)} dimensions, ${formatCount(vectors, 'vector')}${waiting}${language}`;
}

/** Records that are not in the graph as they are now. */
function relationRows({ relations: { unrelated, share, running_in } }: StatusOutput, index: string): Row[] {
  if (unrelated === 0) return [];
  const worker = running_in === null ? `run \`${index}\`` : `${running_in} is working on it`;
  return [
    [
      'relations',
      `${formatCount(unrelated, 'record')} to relate, ${String(Math.floor(100 * share))}% done: ${worker}`,
    ],
  ];
}

/** The progress of the change to the model in the settings, until searches use it. */
function changeRows({ embedding: { configured, change } }: StatusOutput): Row[] {
  if (configured === 'none' || change === null) return [];
  const { from, to, texts, embedded } = change;
  return [
    [
      '',
      `the settings name ${generationText(to, from)}, which has vectors of ${String(embedded)} of ${formatCount(texts, 'text')}`,
    ],
    ['', 'searches and writes use that of before until all are made: run `loci embed backfill`'],
  ];
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `3.2 MB`, in powers of 1000. */
function size(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** step).toFixed(step === 0 ? 0 : 1)} ${UNITS[step] ?? ''}`;
}
