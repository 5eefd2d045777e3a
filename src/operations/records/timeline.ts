import { z } from 'zod';
import { ORIGINS, TRUST } from '../../core/types.ts';
import {
  timeline,
  type TimelineEntry,
  type TimelineRequest,
  type TimelineResponse,
} from '../../engine/packs/timeline.ts';
import type { Operation } from '../operation.ts';
import { filterValue, filterValues } from '../../engine/fields/record-fields.ts';
import { timeBound } from '../../engine/fields/time-bound.ts';
import { isoTime } from '../../engine/fields/times.ts';

const DEFAULT_SIDE = 10;
const MAX_SIDE = 200;
const DEFAULT_BUDGET = 1000;
const MIN_BUDGET = 50;
const MAX_BUDGET = 20_000;
const MAX_CITATION_LENGTH = 5000;

const side = (where: string) =>
  z
    .number()
    .int()
    .min(0)
    .max(MAX_SIDE)
    .exactOptional()
    .describe(`How many records ${where} it; ${String(DEFAULT_SIDE)} by default.`);

const input = z.strictObject({
  anchor: z
    .string()
    .min(1)
    .max(MAX_CITATION_LENGTH)
    .exactOptional()
    .describe('The record in the middle, as `get` reads it.'),
  time: timeBound('from')
    .exactOptional()
    .describe('The moment in the middle instead: 2026-09-14, last week, a time in ISO 8601; now by default.'),
  before: side('before'),
  after: side('after'),
  budget: z
    .number()
    .int()
    .min(MIN_BUDGET)
    .max(MAX_BUDGET)
    .exactOptional()
    .describe(`Length of the text in tokens; ${String(DEFAULT_BUDGET)} by default.`),
  project: filterValue().exactOptional().describe('Only records of this project.'),
  // Shorter than in `search`, which a model reads too.
  origins: z
    .array(z.enum(ORIGINS))
    .max(ORIGINS.length)
    .exactOptional()
    .describe('Only from these: memory, fact, vault, source, audit.'),
  sources: filterValues().exactOptional().describe('Only from these vaults, sources or surfaces.'),
  tags: filterValues().exactOptional().describe('Only with all of these tags.'),
});
type TimelineInput = z.infer<typeof input>;

const entry = z.strictObject({
  position: z.enum(['before', 'anchor', 'after']),
  when: z.string().describe('The day, or the day and time, in the time zone of this machine.'),
  time: z.iso.datetime().describe('Its own date (of a note, an event, a todo), else its last update.'),
  title: z.string().describe('Its title; for a record without one, the beginning of its text.'),
  citation: z.string().describe('What `get` reads.'),
  origin: z.enum(ORIGINS),
  source: z.string().describe('The vault, source or surface that the record comes from.'),
  trust: z.enum(TRUST).describe('Who is responsible for the text: operator, agent or external.'),
  project: z.string(),
  record_type: z.string(),
});

const output = z.strictObject({
  time: z.iso.datetime().describe('The moment in the middle.'),
  entries: z.array(entry).describe('Oldest first.'),
  more_before: z.boolean().describe('Whether there are older records.'),
  more_after: z.boolean().describe('Whether there are newer records.'),
  budget: z.strictObject({
    tokens: z.number().int().describe('The most tokens that the text may have.'),
    used: z.number().int().describe('The tokens of the text, as a model receives it.'),
  }),
});
export type TimelineOutput = z.infer<typeof output>;

export const timelineOperation: Operation<typeof input, typeof output> = {
  name: 'timeline',
  title: 'Read a timeline',
  description:
    'What came before and after a record or a moment, a line each with a citation that `get` reads. The order is by the day of a ' +
    'note, the start of an event, or else the last update.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  tool: 'memory_timeline',
  examples: [
    { title: 'Around now', input: {} },
    { title: 'Around a note', input: { anchor: 'Home/Kitchen remodel.md', before: 5, after: 5 } },
    { title: 'From a day on, in a project', input: { time: '2026-09-14', before: 0, project: 'home' } },
  ],
  run: async (context, given) => {
    const loci = await context.loci();
    const request = requestOf(given);
    const response = await timeline(loci, request);
    const { time, moreBefore, moreAfter, tokens } = response;
    return {
      time: isoTime(time),
      entries: entriesOf(response),
      more_before: moreBefore,
      more_after: moreAfter,
      budget: { tokens: request.budgetTokens, used: tokens },
    };
  },
};

function requestOf({
  before = DEFAULT_SIDE,
  after = DEFAULT_SIDE,
  budget: budgetTokens = DEFAULT_BUDGET,
  tags,
  ...given
}: TimelineInput): TimelineRequest {
  return {
    ...given,
    before,
    after,
    budgetTokens,
    ...(tags !== undefined && { tags: tags.map((tag) => tag.replaceAll(/^#|\/+$/g, '')) }),
  };
}

function entriesOf({ before, anchor, after }: TimelineResponse): TimelineOutput['entries'] {
  return [
    ...before.map((each) => entryOf(each, 'before')),
    ...(anchor === null ? [] : [entryOf(anchor, 'anchor')]),
    ...after.map((each) => entryOf(each, 'after')),
  ];
}

function entryOf(
  { record, time, when, title, citation }: TimelineEntry,
  position: TimelineOutput['entries'][number]['position'],
): TimelineOutput['entries'][number] {
  const { origin, source, trust, project, recordType } = record;
  return {
    position,
    when,
    time: isoTime(time),
    title,
    citation,
    origin,
    source,
    trust,
    project,
    record_type: recordType,
  };
}
