import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { Json } from '../../src/core/types.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { successResult } from '../../src/surfaces/mcp/results/tool-result.ts';
import { commandWords } from '../../src/surfaces/shared/command-names.ts';
import { comparableAnswer } from '../property/comparable-answer.ts';
import { outcomeOf, SharedServer, type Surface } from '../property/shared-server.ts';
import { copyOfVault, loci, preparedHomes } from './loci-command.ts';

type Input = Readonly<Record<string, Json>>;

/** One history of calls, which every surface runs in a store of its own. */
const CALLS: readonly (readonly [operation: string, input: Input])[] = [
  [
    'write',
    {
      content: 'The oven is induction.\nIt needs a circuit of 32 A.',
      title: 'Oven choice',
      tags: ['kitchen'],
    },
  ],
  ['search', { query: 'kitchen remodel', limit: 3 }],
  ['search', { query: 'oven choice', origins: ['memory'] }],
  ['update', { id: 61, title: 'The oven' }],
  ['get', { citation: 'record/61' }],
  ['delete', { id: 61 }],
  ['get', { citation: 'record/61' }],
  ['undelete', { id: 61 }],
  ['get', { citation: 'Home/Kitchen remodel.md#L17-L25' }],
  ['list', { limit: 2 }],
  ['timeline', { anchor: 'Home/Kitchen remodel.md', before: 1, after: 1 }],
  ['record-show', { citation: 'record/61', passages: true }],
  ['record-links', { citation: 'Home/Kitchen remodel.md', limit: 2 }],
  ['record-table', { sort: 'title', limit: 2 }],
  ['record-histogram', { unit: 'year' }],
  ['record-facets', { origins: ['vault'] }],
  ['record-facets', { query: 'kitchen remodel', origins: ['vault'] }],
  ['pack', { query: 'oven', budget: 700 }],
  ['pack', { query: 'oven', budget: 500, use_graph: true }],
  ['fact-store', { key: 'os', value: 'Linux', expires: '7d' }],
  ['fact-store', { key: 'os', value: 'Plan 9', expires: '59m' }],
  ['fact-recall', { key: 'so' }],
  ['fact-list', {}],
  ['fact-categories', {}],
  ['corpus', { query: 'linux' }],
  ['fact-forget', { key: 'os' }],
  ['startup-set', { key: 'units', content: 'Answer in metric units.' }],
  ['startup-list', {}],
  ['startup-preview', { model: 'opus' }],
  ['startup-inject', { model: 'opus', session: 's' }],
  ['startup-remove', { key: 'units' }],
  ['receipt-list', { limit: 0 }],
  ['receipt-show', { id: '01970000-0000-7000-8000-000000000000' }],
  ['receipt-verify', {}],
  ['receipt-mark', { id: 'latest', item: '99', verdict: 'useful' }],
  ['export', { colour: 'red' }],
  ['import', { lines: ['no export'] }],
  ['sources-list', {}],
  ['sources-refresh', { ids: ['none'] }],
  ['sources-pause', { id: 'none' }],
  ['sources-resume', { id: 'none' }],
  ['graph-concepts', { limit: 3 }],
  ['graph-conflicts', {}],
  ['graph-status', {}],
  ['graph-index', { query: 'kitchen remodel', k: 3 }],
  ['graph-pack', { nodes: ['Kitchen remodel', 'nowhere'] }],
  ['graph-show', { nodes: ['Kitchen remodel'], depth: 2 }],
  ['graph-path', { from: 'Kitchen remodel', to: 'Contractor quotes' }],
  ['graph-map', { around: ['Kitchen remodel', 'nowhere'], nodes: 5 }],
  ['graph-export', { project: 'none' }],
  ['audit', { limit: 2 }],
  ['status', {}],
  ['doctor', {}],
  ['reindex', {}],
  ['embed-test', {}],
  ['embed-backfill', { dry_run: true }],
  ['delete-namespace', { namespace: 'nobody', dry_run: true }],
  ['set-quota', { namespace: 'ada', records: 1000 }],
];

const REMOTE: ReadonlyMap<string, Operation> = new Map(
  (await Promise.all(OPERATIONS.map(({ load }) => load())))
    .filter(({ local }) => local !== true)
    .map((operation) => [operation.name, operation]),
);
/** The calls above, and one of each operation with a field that it does not have. */
const ALL_CALLS: typeof CALLS = [
  ...CALLS,
  ...[...REMOTE.keys()].map((name) => [name, { no_such_field: 1 }] as const),
];

const UNKNOWN_FIELD = {
  code: 'invalid_input',
  message: expect.stringContaining('unknown field no_such_field') as string,
};

type Answer = { readonly output: unknown } | { readonly code: unknown; readonly message: unknown };

/** What a surface answers, in one form. Tools of MCP answer with a text and with fields of their own. */
const ANSWER_OF: Readonly<Record<Surface | 'cli', (outcome: never) => Answer>> = {
  cli: ({ stdout }: { stdout: string }) => {
    const output = JSON.parse(stdout) as { error?: { code: string; message: string } };
    return output.error === undefined ? { output } : errorOf(output.error);
  },
  library: (outcome: { error?: string; code?: string }) =>
    outcome.error === undefined ? { output: outcome } : { code: outcome.code, message: outcome.error },
  rest: ({ status, body }: { status: number; body: { code?: string; detail?: string } }) =>
    status === 200 ? { output: body } : { code: body.code, message: body.detail },
  'mcp over http': ({ messages }: { messages: readonly { result: ToolResult }[] }) =>
    toolAnswer(messages[0]!.result),
  'mcp over stdio': toolAnswer,
};

type ToolResult = ReturnType<typeof successResult> & { readonly _meta?: Readonly<Record<string, unknown>> };

function toolAnswer({ isError, _meta, content, structuredContent }: ToolResult): Answer {
  if (isError !== true) return { output: { content, structuredContent } };
  return errorOf(_meta?.['loci/error'] as { code: string; message: string });
}

/** Without the hint, which names what to do next in the words of the surface. */
function errorOf({ code, message }: { readonly code: string; readonly message: string }): Answer {
  return { code, message };
}

/** The answer without what tells the surface and its caller, and without the words for fields and commands of the surface. */
function comparable(answer: Answer, home: string): unknown {
  const text = JSON.stringify(comparableAnswer(answer, home))
    .replaceAll(/\/[^" ;]*loci-test-\w+/g, 'FOLDER')
    .replaceAll(/`[^`]+`/g, 'COMMAND')
    .replaceAll(/--(?=[a-z])|(?<=\\n) +/g, '')
    .replaceAll(/(from memory )\w+/g, '$1SURFACE')
    .replaceAll(' (by agents)', '')
    // A server counts hits when it has nothing else to do.
    .replaceAll(/(\\*")hits\1:\d+,(?:\1last_hit\1:(?:null|\1[^"\\]*\1),)?/g, '')
    // What the server has measured so far.
    .replaceAll(/(\\*"(?:size|searches)\\*":)\[.*?\]/g, '$1[]')
    .replaceAll(/("tokens":)\d+/g, '$10')
    // Positions depend on the ids of written records, which are random.
    .replaceAll(/(\\*"[xy]\\*":)\[[^\]]*\]/g, '$1[]')
    .replaceAll(/(\\*"next\\*":\\*")\d{13}/g, '$1TIME')
    .replaceAll(/(\\*")(source|source_name|surface|actor|trust|from|by)\1:\1[^"\\]*\1/g, '$1$2$1:$1CALLER$1')
    .replaceAll(/(\\*")(?:library|rest|mcp)(\\*":\d)/g, '$1SURFACE$2');
  return JSON.parse(text);
}

/** What the owner of the store gets on the command line is different: the folders, sizes and problems of the machine, and a file. */
const FOR_OWNER: ReadonlySet<string> = new Set(['sources-list', 'graph-export', 'status', 'doctor']);

const VAULTS = [{ name: 'diary of ada', path: copyOfVault('notes of ada'), refreshInterval: '1h' }];
const indexedHome = preparedHomes(async (home) => {
  mkdirSync(home);
  writeFileSync(join(home, 'loci.yaml'), stringify({ namespace: 'ada', vaults: VAULTS }));
  await loci(['index'], { home });
});

/** Agents have no tool for some operations. */
const isOffered = (surface: Surface | 'cli', name: string): boolean =>
  !surface.startsWith('mcp') || REMOTE.get(name)?.notForAgents !== true;

async function answersOn(surface: Surface | 'cli'): Promise<[home: string, answers: (Answer | null)[]]> {
  const home = indexedHome();
  const server = await SharedServer.open('ada', { vaults: VAULTS }, home);
  await server.addMember('ada', 'token');
  const answers: (Answer | null)[] = [];
  for (const [name, input] of ALL_CALLS) {
    if (!isOffered(surface, name)) {
      answers.push(null);
      continue;
    }
    const call =
      surface === 'cli'
        ? loci([...commandWords(name), '--input', '-', '--json'], { home, stdin: JSON.stringify(input) })
        : server.call('ada', surface, REMOTE.get(name)!, input);
    answers.push(ANSWER_OF[surface]((await outcomeOf(call)) as never));
  }
  await server.close();
  return [home, answers];
}

let inLibrary: ReturnType<typeof answersOn> | undefined;

describe('every operation', () => {
  it('has a call here, unless only the command line offers it', () => {
    expect(new Set(CALLS.map(([name]) => name))).toEqual(new Set(REMOTE.keys()));
  });

  it.each(['cli', 'rest', 'mcp over http', 'mcp over stdio'] as const)(
    'gives the same answer or the same error as in the library: %s',
    { timeout: 300_000 },
    async (surface) => {
      const [home, expected] = await (inLibrary ??= answersOn('library'));
      const [ownHome, answers] = await answersOn(surface);
      for (const [i, [name, input]] of ALL_CALLS.entries()) {
        if (!isOffered(surface, name)) continue;
        const label = `${name} ${JSON.stringify(input)}`;
        if ('no_such_field' in input) expect.soft(answers[i], label).toMatchObject(UNKNOWN_FIELD);
        else if (surface !== 'cli' || !FOR_OWNER.has(name)) {
          const answer = expected[i]!;
          const isTool = surface.startsWith('mcp') && 'output' in answer;
          const asTool = isTool ? { output: successResult(name, answer.output) } : answer;
          expect.soft(comparable(answers[i]!, ownHome), label).toEqual(comparable(asTool, home));
        }
      }
    },
  );
});
