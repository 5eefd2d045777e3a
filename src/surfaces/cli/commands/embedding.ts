import { formatCount } from '../../../core/text/format-count.ts';
import type { EmbedBackfillOutput } from '../../../engine/embedding/backfill.ts';
import type { EmbedTestOutput } from '../../../engine/embedding/test-embedder.ts';
import { generationText, prefixesText, refusalWarnings } from '../format/phrases.ts';
import { keyValues } from '../format/output-text.ts';
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
    const rows: (readonly [string, string])[] = [
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
    return keyValues(rows, view);
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
    else if (
      !dryRun &&
      isActive &&
      active !== null &&
      generationText(active, target) !== generationText(target, active)
    )
      lines.push(`Searches use them now. Those of ${generationText(active, target)} were removed.`);
    return `${lines.join('\n')}\n`;
  },
};

function sizeText({ texts, tokens, cost }: EmbedBackfillOutput): string {
  const price = cost === null ? '' : `, which cost about ${String(cost)}`;
  return `${formatCount(texts, 'text')} of about ${formatCount(tokens, 'token')}${price}`;
}
