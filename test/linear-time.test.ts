import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noteTerms, Vocabulary } from '../src/adapters/filesystem/note-cache.ts';
import { NoteRanking, PartFinder, queryParts } from '../src/adapters/filesystem/note-ranking.ts';
import { LociError } from '../src/core/errors.ts';
import { analyze } from '../src/core/text/analyze.ts';
import { sentencesOf } from '../src/core/text/sentences.ts';
import { contentDiff } from '../src/engine/audit/audit.ts';
import { openEngine } from '../src/engine/open.ts';
import { splitIntoFragments } from '../src/engine/portable/fragments.ts';
import { findSection } from '../src/engine/records/citations/find-section.ts';
import { noteOutline } from '../src/graph/build/outline.ts';
import { findMentions, readNames, wordsOfTexts } from '../src/graph/concepts/record-names.ts';
import { readOutline } from '../src/ingest/markdown-blocks.ts';
import { estimateModelTokens, makePassages } from '../src/ingest/passages.ts';
import { abstractOf, splitText, summaryOf } from '../src/pack/levels/levels.ts';
import { sectionsOf } from '../src/pack/sections/cut.ts';
import { plainLine } from '../src/pack/timeline-text.ts';
import { snippet } from '../src/search/snippet.ts';
import { hasProse } from '../src/sources/markdown/plain-text.ts';
import { anchorsIn } from '../src/search/linked-notes.ts';
import { detectSecrets } from '../src/secrets/detect.ts';
import { readDocument } from '../src/sources/documents/read-document.ts';
import { canvasText } from '../src/sources/files/canvas.ts';
import { readNoteText } from '../src/sources/vault/note-text.ts';
import { escapeControl } from '../src/surfaces/shared/escape-control.ts';
import { settings, temporaryFolder } from './contract/engines.ts';
import { draft } from './contract/store-samples.ts';
import { storedPassage } from './contract/stored-passage.ts';
import { repetitions } from './repetitions.ts';
import { TEXT_KINDS } from './text-kinds.ts';
import { write } from '../src/engine/records/write.ts';
import { indexVaults } from '../src/engine/reading/index-vaults.ts';
import { update } from '../src/engine/records/update.ts';
import { search } from '../src/engine/records/search.ts';
import { get } from '../src/engine/records/get.ts';
import { memoryPack } from '../src/engine/packs/memory-pack.ts';
import { showNodes } from '../src/engine/graph/show-nodes.ts';
import { parseEdn } from '../src/sources/logseq/edn.ts';
import { settingsIn } from '../src/sources/logseq/graph.ts';
import { exportLines } from '../src/engine/portable/export.ts';

const { graph: LOGSEQ } = settingsIn('{}', 'config.edn');
const SMALL = repetitions(5000, 40_000);
const LARGE = 10 * SMALL;
const MAX_GROWTH = 25;
/** What takes less is not judged. */
const MIN_MS = 60;
const ATTEMPTS = 4;

const note = (content: string) => ({ ...draft({ content, origin: 'vault', key: 'Oven.md' }), id: 1 });

/** Everything that reads a whole text and may run in a thread of its own. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  note: (text) => readNoteText(Buffer.from(text), 'markdown'),
  'a page of Logseq': (text) =>
    readNoteText(Buffer.from(text), 'markdown', { key: 'pages/a.md', graph: LOGSEQ }),
  'lines of a page of Logseq': (text) => noteOutline(text, true),
  'settings of Logseq': (text) =>
    parseEdn(`[${JSON.stringify(text)} ${text.replaceAll(/[()[\]{}"]/g, ' ')}]`),
  canvas: (text) => canvasText(JSON.stringify({ nodes: [{ id: 'a', type: 'text', text }], edges: [] })),
  document: (text) => readDocument({ id: 'a', title: 'a', text }, 0),
  passages: (text) => makePassages(note(text), { maxTokens: 200, countTokens: estimateModelTokens }),
  headings: readOutline,
  'lines of links and tasks': noteOutline,
  'words of names': (text) => wordsOfTexts([note(text)]),
  mentions: (text) => findMentions([{ ...note(text), own: [] }], ['new york', 'a', 'oven']),
  names: (text) => readNames([note(text)]),
  credentials: (text) => detectSecrets(text),
  terms: (text) => analyze(text),
  sentences: sentencesOf,
  'a note that is searched without an index': (text) => {
    const vocabulary = new Vocabulary();
    const terms = noteTerms('a.md', text, vocabulary);
    const ranking = new NoteRanking(new PartFinder(queryParts(`oven "${text}"`), vocabulary));
    ranking.add(0, terms);
    return ranking.best();
  },
  snippet: (text) => snippet(text, new Set(['a', 'oven', 'berlin'])),
  'words beyond links': hasProse,
  'anchors of links': (text) => anchorsIn(storedPassage({ record: note(text), text })),
  'sections of packs': sectionsOf,
  summaries: (text) => {
    const split = splitText(text);
    return [abstractOf(split, 'Oven'), summaryOf(split)];
  },
  'fragments of imports': (text) => splitIntoFragments(text, 'all'),
  'a section': (text) => findSection(text, 'Nothing'),
  history: (text) => contentDiff(text, `${text.slice(5)}x`),
  'control characters': escapeControl,
  'one line': plainLine,
};

/** The CPU time of this thread, which other load of the machine hardly changes. Texts that are refused take none. */
async function cpuTimeMs(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  try {
    await work();
  } catch (error) {
    if (!(error instanceof LociError)) throw error;
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

type Times = ReadonlyMap<string, number>;

function keepBest(best: Map<string, number>, times: Times): void {
  for (const [name, ms] of times) best.set(name, Math.min(best.get(name) ?? Infinity, ms));
}

/**
 * What is wrong with the times of a short and a long text, for each name. The best of several runs counts. Each short text
 * has other words, because those of a text that was read before are found in caches.
 */
async function growthFaults(timesOf: (length: number, first?: number) => Promise<Times>): Promise<string[]> {
  let texts = 0;
  let faults: string[] = [];
  const [small, large] = [new Map<string, number>(), new Map<string, number>()];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    keepBest(large, await timesOf(LARGE));
    if (Math.max(...large.values()) < MIN_MS) return [];
    for (let run = 0; run < 2; run++) keepBest(small, await timesOf(SMALL, ++texts * LARGE));
    faults = [...large].flatMap(([name, ms]) => {
      const short = small.get(name) ?? 0;
      return ms < MIN_MS || ms <= MAX_GROWTH * short
        ? []
        : [`${name}: ${short.toFixed(1)} ms for a short text, ${ms.toFixed(0)} ms for a long one`];
    });
    if (faults.length === 0) return [];
  }
  return faults;
}

describe('the time of reading a text ten times as long', () => {
  it.each(Object.entries(READERS))('grows by at most twenty-five: %s', async (_, read) => {
    const faults: string[] = [];
    for (const [kind, make] of Object.entries(TEXT_KINDS)) {
      const found = await growthFaults(async (length, first) => {
        const text = make(length, first);
        return new Map([[kind, await cpuTimeMs(() => read(text))]]);
      });
      faults.push(...found);
    }
    expect(faults.join('\n')).toBe('');
  });

  it('is noticed where it is quadratic', async () => {
    const make = TEXT_KINDS['words in one line']!;
    const faults = await growthFaults(async (length) => {
      const text = make(length / repetitions(2, 8));
      const countLines = (): unknown =>
        Array.from(text.matchAll(/\w+/g), ({ index }) => {
          let lines = 0;
          for (let i = 0; i < index; i++) if (text.charCodeAt(i) === 10) lines++;
          return lines;
        });
      return new Map([['lines', await cpuTimeMs(countLines)]]);
    });
    expect(faults).toHaveLength(1);
  });
});

type Step = 'write' | 'update' | 'index' | 'search' | 'get' | 'pack' | 'graph' | 'export';

/** The time of each step on this thread, on which the store runs too. */
async function stepTimes(text: string): Promise<Map<Step, number>> {
  await using folder = await temporaryFolder();
  const vault = { name: 'notes', path: folder.path };
  await writeFile(join(folder.path, 'Long.md'), `${text}\n\nThe warm hob.`);
  await writeFile(join(folder.path, 'Short.md'), 'The hob of [[Long]] in New York City.');
  const loci = await openEngine(settings(folder.path, { vaults: [vault] }), { inlineStore: true });
  const times = new Map<Step, number>();
  const time = async (step: Step, work: () => Promise<unknown>): Promise<void> => {
    times.set(step, (times.get(step) ?? 0) + (await cpuTimeMs(work)));
  };
  let id = 0;
  await time('write', async () => {
    id = (await write(loci, { content: `The warm hob. ${text}`, title: 'Written' })).id;
  });
  await time('index', () => indexVaults(loci));
  if (id > 0) await time('update', () => update(loci, { id, content: `${text.slice(0, -5)} hob` }));
  await time('index', () => indexVaults(loci));
  await time('search', () => search(loci, { query: 'the warm hob' }));
  await time('get', () => get(loci, { citation: 'Long' }));
  await time('pack', () => memoryPack(loci, { query: 'the warm hob', budget: 2000 }));
  await time('graph', () => showNodes(loci, { nodes: ['Long', 'Short'], k: 20 }));
  await time('export', async () => {
    for await (const _ of exportLines(loci));
  });
  await loci.close();
  return times;
}

/** Texts of which much is stored or shown; `READERS` has all kinds. */
const STORED_KINDS = [
  ...['words in one line', 'wikilinks', 'headings', 'tasks', 'capitalised words', 'everything mixed'],
];

describe('the time of each step with a text ten times as long', () => {
  it.each(STORED_KINDS)('grows by at most twenty-five: %s', async (kind) => {
    const make = TEXT_KINDS[kind]!;
    const faults = await growthFaults((length, first) => stepTimes(make(length, first)));
    expect(faults.join('\n')).toBe('');
  });
});
