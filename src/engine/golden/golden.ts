import { readFile, stat } from 'node:fs/promises';
import { isAlias, parseDocument } from 'yaml';
import { z } from 'zod';
import { count, share } from '../../core/number-fields.ts';
import { LociError, messageOf } from '../../core/errors.ts';
import { describeFileError } from '../../core/fs/file-errors.ts';
import { replaceFile } from '../../core/fs/files.ts';
import { assertNotAborted, type ProgressOptions } from '../../core/progress.ts';
import { safeParse } from '../../core/json.ts';
import type { EngineContext } from '../context.ts';
import { localPath, limitField } from '../fields/record-fields.ts';
import { resolveCitation } from '../records/citations/resolve-citation.ts';
import { searchOutcome } from '../records/search.ts';
import { wholeCitations } from '../shared/citations.ts';

const MAX_QUERY_LENGTH = 1_000_000;
const DEFAULT_LIMIT = 10;
/** How many results of a query are recorded. */
const RECORDED = 5;

/** A file of golden queries. */
const goldenFile = z.strictObject({
  queries: z
    .array(
      z.strictObject({
        query: z.string().min(1).max(MAX_QUERY_LENGTH),
        project: z.string().min(1).exactOptional(),
        expected: z.array(z.string().min(1)).max(100).exactOptional(),
      }),
    )
    .min(1)
    .max(10_000),
});

export const goldenInput = z.strictObject({
  file: localPath().describe(
    'A YAML file: under `queries`, each has a `query`, perhaps a `project`, and `expected`, the citations of what it should find, in their order.',
  ),
  record: z
    .boolean()
    .exactOptional()
    .describe(
      'Record what all queries find now. Without it, only those that expect nothing yet are recorded.',
    ),
  limit: limitField(100).describe(
    `Results in which the expected ones are looked for; ${String(DEFAULT_LIMIT)} unless given.`,
  ),
});

const place = () => z.number().int().positive();
export const goldenOutput = z.strictObject({
  limit: place(),
  queries: z.array(
    z.strictObject({
      query: z.string(),
      recorded: z.boolean().describe('Whether its results were written into the file.'),
      expected: z.array(
        z.strictObject({
          citation: z.string(),
          place: place().describe('In the file.'),
          now: place().nullable().describe('Its place now; null if it is not among the results.'),
        }),
      ),
      added: z
        .array(z.strictObject({ citation: z.string(), now: place() }))
        .describe('What stands in the places of the expected ones, and is not expected.'),
    }),
  ),
  missing: count().describe('Expected results that were not found.'),
  recall: share().describe('The mean share of the expected results that were found.'),
  mrr: share().describe('The mean of one divided by the place of the first expected result.'),
  failed: z
    .array(z.strictObject({ query: z.string(), why: z.string() }))
    .describe('Queries that no search accepts. They are in no other figure.'),
  notices: z.array(z.string()).describe('Signals that could not answer.'),
});
export type GoldenOutput = z.infer<typeof goldenOutput>;
type GoldenQuery = z.infer<typeof goldenFile>['queries'][number];
type ReplayedQuery = GoldenOutput['queries'][number];

/**
 * Runs the queries of a file and compares what they find with what the file expects. Where it expects nothing yet, what is found is
 * recorded in it. A query that no search accepts stops no other.
 * @throws LociError `unreadable`, `invalid_input` for a file of another form, `aborted`, and the errors of a search
 */
export async function runGolden(
  context: EngineContext,
  { file, record = false, limit = DEFAULT_LIMIT }: z.infer<typeof goldenInput>,
  options: ProgressOptions = {},
): Promise<GoldenOutput> {
  const { document, given, text, mode } = await readGolden(file);
  const queries: ReplayedQuery[] = [];
  const failed: GoldenOutput['failed'] = [];
  const notices = new Set<string>();
  for (const [i, each] of given.entries()) {
    assertNotAborted(options);
    try {
      const { results, missing } = await findResults(context, each, limit, options);
      for (const { signal, why } of missing) notices.add(`${signal}: ${why}`);
      const { expected = [] } = each;
      const recorded = record || each.expected === undefined;
      const found = results.slice(0, RECORDED).map(({ citation }) => citation);
      if (recorded) document.setIn(['queries', i, 'expected'], found);
      queries.push(
        await compare(
          context,
          { query: each.query, expected: recorded ? found : expected, recorded },
          results,
        ),
      );
    } catch (error) {
      // Any other error is not about this query.
      if (!(error instanceof LociError) || error.code !== 'invalid_input') throw error;
      failed.push({ query: each.query, why: error.message });
    }
    options.onProgress?.({ stage: 'reading', subject: file, done: i + 1, total: given.length });
  }
  if (queries.some(({ recorded }) => recorded)) {
    if ((await readGolden(file)).text !== text)
      throw new LociError('conflict', `${file} was changed meanwhile, and nothing was recorded`, {
        hint: 'Run the command again.',
      });
    const lines = document.toString();
    await replaceFile(file, text.includes('\r\n') ? lines.replaceAll(/\r?\n/g, '\r\n') : lines, mode);
  }
  const places = queries.map(({ expected }) => expected.flatMap(({ now }) => now ?? []));
  return {
    ...{ limit, queries, failed, notices: [...notices] },
    missing: queries.flatMap(({ expected }) => expected).filter(({ now }) => now === null).length,
    recall: mean(
      places.map((found, i) =>
        queries[i]!.expected.length === 0 ? 1 : found.length / queries[i]!.expected.length,
      ),
    ),
    mrr: mean(places.map((found) => (found.length === 0 ? 0 : 1 / Math.min(...found)))),
  };
}

async function readGolden(file: string) {
  const { text, mode } = await readText(file);
  const document = parseDocument(text);
  const refuse = (why: string): never => {
    throw new LociError('invalid_input', `${file} has no golden queries: ${why}`, {
      hint: 'It looks like this: `queries:`, and below it a line `  - query: kitchen remodel` for each.',
    });
  };
  const [mistake] = document.errors;
  if (mistake !== undefined) return refuse(messageOf(mistake));
  let value: unknown;
  try {
    value = document.toJS();
  } catch (error) {
    // Aliases that stand for more than a hundred times what they name.
    return refuse(messageOf(error));
  }
  const parsed = safeParse(goldenFile, value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refuse(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  }
  const { queries } = parsed.data;
  const alias = isAlias(document.get('queries', true))
    ? 0
    : queries.findIndex((_, i) => isAlias(document.getIn(['queries', i], true)));
  if (alias >= 0)
    return refuse(`queries.${String(alias)}: results cannot be recorded below an alias (\`*name\`)`);
  return { document, given: queries, text, mode };
}

const MAX_FILE_BYTES = 10_000_000;

async function readText(file: string): Promise<{ readonly text: string; readonly mode: number }> {
  const unreadable = (why: string): LociError => new LociError('unreadable', `${file}: ${why}`);
  try {
    // To open a FIFO would wait for a writer.
    const found = await stat(file);
    if (!found.isFile()) throw unreadable('it is not a regular file');
    if (found.size > MAX_FILE_BYTES) throw unreadable(`it has more than ${String(MAX_FILE_BYTES)} bytes`);
    const bytes = await readFile(file);
    const text = bytes.toString('utf8');
    if (!Buffer.from(text, 'utf8').equals(bytes)) throw unreadable('it is not UTF-8 text');
    return { text, mode: found.mode & 0o777 };
  } catch (error) {
    if (error instanceof LociError) throw error;
    throw unreadable(describeFileError(error));
  }
}

/** The results of a search, with the citations of whole records. */
async function findResults(
  context: EngineContext,
  { query, project }: GoldenQuery,
  limit: number,
  { signal }: ProgressOptions,
) {
  const { hits, retrieved } = await searchOutcome(context, {
    ...{ query, limit, related: 0, operators: true },
    ...(project !== undefined && { project }),
    ...(signal !== undefined && { signal }),
  });
  const ids = hits.map(({ passage }) => passage.record.id);
  const records = await context.store.records.get(context.namespace, ids, { liveAt: context.now() });
  const citations = await wholeCitations(context, records);
  const byId = new Map(records.map(({ id, uuid }, i) => [id, { uuid, citation: citations[i]! }]));
  const results = ids.flatMap((id, i) => {
    const found = byId.get(id);
    return found === undefined ? [] : [{ ...found, now: i + 1 }];
  });
  return { results, missing: retrieved.missing };
}

async function compare(
  context: EngineContext,
  { query, expected, recorded }: { query: string; expected: readonly string[]; recorded: boolean },
  results: readonly { readonly uuid: string; readonly citation: string; readonly now: number }[],
): Promise<ReplayedQuery> {
  const compared = [];
  const isExpected = new Set<number>();
  for (const [i, citation] of expected.entries()) {
    // A person may cite a record in another way than a search does.
    const found =
      results.find((each) => each.citation === citation) ??
      (await uuidOf(context, citation).then((uuid) => results.find((each) => each.uuid === uuid)));
    if (found !== undefined) isExpected.add(found.now);
    compared.push({ citation, place: i + 1, now: found?.now ?? null });
  }
  const places = expected.length === 0 ? RECORDED : expected.length;
  const added = results.filter(({ now }) => now <= places && !isExpected.has(now));
  return {
    ...{ query, recorded, expected: compared },
    added: added.map(({ citation, now }) => ({ citation, now })),
  };
}

/** `null` for a record that is not here any more. */
async function uuidOf(context: EngineContext, citation: string): Promise<string | null> {
  try {
    return (await resolveCitation(context, citation)).record.uuid;
  } catch (error) {
    if (error instanceof LociError && ['not_found', 'ambiguous', 'invalid_input'].includes(error.code))
      return null;
    throw error;
  }
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
