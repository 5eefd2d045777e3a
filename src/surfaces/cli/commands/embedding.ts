import type { EmbedTestOutput } from '../../../operations/embedding/test.ts';
import { oneLine } from '../../shared/escape-control.ts';
import type { OperationCommand, View } from './operation-command.ts';

export const embedTest: OperationCommand<EmbedTestOutput> = {
  isLong: true,
  exitCode: ({ sane }) => (sane ? 0 : 1),
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

function dimensionsText({ dimensions, configured_dimensions: configured }: EmbedTestOutput): string {
  if (configured === null || configured === dimensions) return String(dimensions);
  return `${String(dimensions)}, but ${String(configured)} are configured: \`loci config set embedding.dimensions ${String(dimensions)}\``;
}

function prefixesText({ query_prefix: query, passage_prefix: passage }: EmbedTestOutput): string {
  if (query === '' && passage === '') return 'none';
  return `${JSON.stringify(query)} for queries, ${JSON.stringify(passage)} for passages`;
}

function similarityText({ paraphrase, stranger, sane }: EmbedTestOutput, { style }: View): string {
  const verdict = sane
    ? style.good('paraphrases are more similar than strangers')
    : style.bad(
        'a passage about something else is more similar than a paraphrase: check the model and its prefixes',
      );
  return `${paraphrase.toFixed(3)} for paraphrases, ${stranger.toFixed(3)} for strangers: ${verdict}`;
}
