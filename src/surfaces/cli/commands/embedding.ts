import { formatCount } from '../../../core/text/format-count.ts';
import type { EmbedBackfillOutput } from '../../../engine/embedding/backfill.ts';
import type { EmbedPruneOutput } from '../../../engine/embedding/prune.ts';
import type { EmbedSwitchOutput } from '../../../engine/embedding/switch.ts';
import type { EmbedTestOutput } from '../../../operations/embedding/test.ts';
import { oneLine } from '../../shared/escape-control.ts';
import { generationName, generationText, prefixesText, refusalWarnings } from '../format/phrases.ts';
import { durationText } from '../format/times.ts';
import type { OperationCommand, View } from './operation-command.ts';

export const embedTest: OperationCommand<EmbedTestOutput> = {
  isLong: true,
  exitCode: ({ sane }) => (sane ? 0 : 1),
  warnings: ({ provider, latency_ms: latency, search_wait_ms: wait }) =>
    provider === 'local' || latency <= wait
      ? []
      : [
          `a query takes ${durationText(latency / 1000)}, and a search waits ${durationText(wait / 1000)} at most: searches find by words alone with this model`,
        ],
  render: (output, view) => {
    const rows = [
      ['provider', `${output.provider} ${output.model}`],
      ['dimensions', dimensionsText(output)],
      ['prefixes', prefixesText(output)],
      ['longest text', `${String(output.max_tokens)} tokens; longer ones are embedded in parts`],
      [
        'latency',
        `${String(output.latency_ms)} ms for a query, ${String(output.first_ms)} ms for the first text`,
      ],
      [
        'throughput',
        `${String(output.texts_per_second)} texts or ${String(output.tokens_per_second)} tokens a second`,
      ],
      ['similarity', similarityText(output, view)],
    ];
    return rows
      .map(([name = '', value = '']) => `${view.style.dim(name.padEnd(14))}${oneLine(value)}\n`)
      .join('');
  },
};

function dimensionsText(output: EmbedTestOutput): string {
  const { dimensions, configured_dimensions: configured, must_set_dimensions: mustSet } = output;
  const command = `\`loci config set embedding.dimensions ${String(dimensions)}\``;
  if (mustSet) return `${String(dimensions)}; run ${command}, because Loci does not know the model`;
  if (configured === null || configured === dimensions) return String(dimensions);
  return `${String(dimensions)}, but ${String(configured)} are configured: ${command}`;
}

function similarityText({ paraphrase, stranger, sane }: EmbedTestOutput, { style }: View): string {
  const verdict = sane
    ? style.good('paraphrases are more similar than strangers')
    : style.bad(
        'a passage about something else is more similar than a paraphrase: check the model and its prefixes',
      );
  return `${paraphrase.toFixed(3)} for paraphrases, ${stranger.toFixed(3)} for strangers: ${verdict}`;
}

export const embedBackfill: OperationCommand<EmbedBackfillOutput> = {
  warnings: refusalWarnings,
  render: (output) => {
    const {
      target,
      active,
      dry_run: dryRun,
      embedded,
      remaining,
      refused,
      is_active: isActive,
      took_ms,
    } = output;
    const lines = dryRun
      ? [`${sizeText(output)} to embed with ${generationText(target, active)}. Nothing was done.`]
      : [
          `Embedded ${formatCount(embedded, 'text')} with ${generationText(target, active)}, in ${durationText(took_ms / 1000)}.`,
        ];
    const untried = Math.max(0, remaining - refused);
    if (!dryRun && untried > 0)
      lines.push(
        `Still without a vector: ${formatCount(untried, 'text')}. Run \`loci embed backfill\` again.`,
      );
    else if (!dryRun && !isActive)
      lines.push(`\`loci embed switch${remaining > 0 ? ' --partial' : ''}\` lets searches use them.`);
    return `${lines.join('\n')}\n`;
  },
};

export const embedSwitch: OperationCommand<EmbedSwitchOutput> = {
  render: ({ from, to, remaining, dry_run: dryRun }) => {
    const missing =
      remaining === 0
        ? ''
        : `Still without a vector: ${formatCount(remaining, 'text')}. Run \`loci embed backfill\`.\n`;
    const name = generationText(to, from);
    if (from !== null && generationText(from, to) === name)
      return `Searches use the vectors of ${name} already: nothing was changed.\n${missing}`;
    const before = from === null ? '' : `; before, those of ${generationText(from, to)}, which are kept`;
    const verb = dryRun ? 'would use' : 'use';
    return `Searches ${verb} the vectors of ${name}${before}.\n${missing}${dryRun ? 'Nothing was changed.\n' : ''}`;
  },
};

export const embedPrune: OperationCommand<EmbedPruneOutput> = {
  warnings: ({ in_use: inUse }) =>
    inUse.map((each) => `left ${generationText(each)} alone: ${oneLine(each.process)} is making its vectors`),
  render: ({ removed, in_use: inUse, dry_run: dryRun }) => {
    if (removed.length === 0)
      return inUse.length === 0 ? 'There are no vectors of previous models.\n' : 'Nothing was removed.\n';
    const lines = removed.map((each) => {
      const other = removed.find((one) => one !== each && generationName(one) === generationName(each));
      const vectors = `${formatCount(each.vectors, 'vector')} of ${generationText(each, other)}`;
      return dryRun ? `Would remove ${vectors}.\n` : `Removed ${vectors}.\n`;
    });
    return `${lines.join('')}${dryRun ? 'Nothing was removed.\n' : ''}`;
  },
};

function sizeText({ texts, tokens, cost }: EmbedBackfillOutput): string {
  const price = cost === null ? '' : `, which cost about ${String(cost)}`;
  return `${formatCount(texts, 'text')} of about ${formatCount(tokens, 'token')}${price}`;
}
