import type { Measure } from './report.ts';

/** The parts of the output of `embed.ts --json` that the report shows. */
export interface EmbedReport {
  readonly throughput: { readonly loci: number; readonly reference: number };
  readonly indexing: { readonly loci: number; readonly reference: number };
  readonly coldStart: { readonly loci: { readonly ms: number }; readonly reference: { readonly ms: number } };
  readonly eventLoop: { readonly longestMs: number };
}

export function embedMeasures({ throughput, indexing, coldStart, eventLoop }: EmbedReport): Measure[] {
  const name = '@lat.md/embed';
  return [
    {
      what: 'texts of one thread',
      unit: 'a second',
      ours: throughput.loci,
      baseline: { name, value: throughput.reference },
      target: { of: 'ratio', least: 4, checked: true },
    },
    {
      what: 'passages, all processors',
      unit: 'a second',
      ours: indexing.loci,
      baseline: { name, value: indexing.reference },
    },
    {
      what: 'cold start',
      unit: 'ms',
      ours: coldStart.loci.ms,
      baseline: { name, value: coldStart.reference.ms },
      target: { of: 'ratio', most: 0.25, checked: true },
    },
    {
      what: 'longest block of the event loop while embedding',
      unit: 'ms',
      ours: eventLoop.longestMs,
      target: { of: 'ours', most: 50, checked: true },
    },
  ];
}
