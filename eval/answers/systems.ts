import type { CountTokens } from '../../src/pack/tokens.ts';
import { openGrep } from '../baselines/grep.ts';
import { longestPrefix } from '../longest-prefix.ts';
import type { Model } from '../model.ts';
import type { FirstResult } from './measure.ts';
import { type Corpus, missingNeeds, notesOf, type Question } from './question-set.ts';
import { PeerIndex } from './peer-index.ts';
import { cutSection, sectionsOf, shownSection } from './sections.ts';
import { plainText } from '../../src/sources/markdown/plain-text.ts';
import type { EngineContext } from '../../src/engine/context.ts';
import { search } from '../../src/engine/records/search.ts';
import { memoryPack } from '../../src/engine/packs/memory-pack.ts';

/** What an agent gets for a question. */
interface AnswerSystem {
  readonly name: string;
  /** Returns what makes the text of at most so many tokens. */
  ask(question: string): Promise<(budget: number) => string | Promise<string>>;
}

/** What is asked. */
export interface Asked {
  readonly systems: readonly AnswerSystem[];
  /** The first result of a search for a question. */
  readonly first: (question: Question) => Promise<FirstResult>;
}

/** How many results of a search the rivals read. */
const RESULTS = 50;

/** Loci's pack, and the rivals, on one corpus. */
export async function systemsOf(
  corpus: Corpus,
  loci: EngineContext,
  { embedder }: Pick<Model, 'embedder'>,
  count: CountTokens,
): Promise<Asked> {
  const notes = notesOf(corpus);
  const docs = [...notes].map(([path, text]) => ({ id: path, path, text, note: true }));
  const grep = openGrep({
    name: corpus.id,
    hash: '',
    root: '.',
    collections: [{ id: '', docs, queries: [] }],
  });
  const sections = [...notes].flatMap(([path, text]) => sectionsOf(path, text));
  const peer = await PeerIndex.build(sections.flatMap(cutSection), embedder);
  const whole = (path: string): string => `${path}\n${notes.get(path)!}`;
  const searchNotes = async (query: string): Promise<Match[]> => {
    const { results } = await search(loci, { query, limit: RESULTS, related: 0, min_score: 0 });
    return results.map(({ citation }) => matchOf(citation));
  };
  const filled = (name: string, parts: (question: string) => Promise<string[]>): AnswerSystem => ({
    name,
    ask: async (question) => {
      const all = await parts(question);
      return (budget) => fill(all, budget, count);
    },
  });
  const systems: AnswerSystem[] = [
    {
      name: 'pack',
      ask: (query) => Promise.resolve(async (budget) => (await memoryPack(loci, { query, budget })).text),
    },
    filled('whole notes', async (query) => (await searchNotes(query)).map(({ path }) => whole(path))),
    filled('matched sections', async (query) =>
      (await searchNotes(query)).map(({ path, from, to }) =>
        sections
          .filter(({ path: of, lines }) => of === path && lines.from <= to && lines.to >= from)
          .map(shownSection)
          .join('\n'),
      ),
    ),
    filled('peer sections', async (query) => (await peer.rank(query)).map(shownSection)),
    filled('grep', async (query) => (await grep.rank('', query)).ids.map(whole)),
  ];
  return { systems, first: (question) => firstResult(loci, notes, question) };
}

async function firstResult(
  loci: EngineContext,
  notes: ReadonlyMap<string, string>,
  { q: query, needs }: Question,
): Promise<FirstResult> {
  const { results } = await search(loci, { query, related: 0, min_score: 0 });
  const [first] = results;
  if (first === undefined) return { isRight: false, inLines: false, inPlaces: false, inSnippet: false };
  const { path } = matchOf(first.citation);
  const ofNote = needs
    .flatMap((need) => [need, ...need.or])
    .filter((statement) => statement.path === path)
    .map((statement) => ({ ...statement, or: [] }));
  const asText = ofNote.map((statement) => ({ ...statement, text: plainText(statement.text) }));
  const holds = (...texts: readonly string[]): boolean =>
    texts.some((text) => missingNeeds(ofNote, text).length < ofNote.length);
  const cited = (citation: string): string => {
    const { from, to } = matchOf(citation);
    return notes
      .get(path)!
      .split('\n')
      .slice(from - 1, to)
      .join('\n');
  };
  const lines = cited(first.citation);
  return {
    isRight: ofNote.length > 0,
    inLines: holds(lines),
    inPlaces: holds(lines, ...(first.second === undefined ? [] : [cited(first.second.citation)])),
    inSnippet: missingNeeds(asText, first.snippet).length < asText.length,
  };
}

interface Match {
  readonly path: string;
  /** The lines that match, from 1, inclusive. */
  readonly from: number;
  readonly to: number;
}

/** @param citation `Home/Oven.md#L3-L9` */
function matchOf(citation: string): Match {
  const [, path = citation, from = '1', to = from] = /^(.*)#L(\d+)(?:-L(\d+))?$/.exec(citation) ?? [];
  return { path, from: Number(from), to: Number(to) };
}

/** The parts one after another until the budget is full; the last is cut. */
export function fill(parts: readonly string[], budget: number, count: CountTokens): string {
  const shown: string[] = [];
  let left = budget;
  for (const part of parts) {
    const separated = shown.length === 0 ? part : `\n\n${part}`;
    const end = longestPrefix(separated, left, count);
    shown.push(separated.slice(0, end));
    if (end < separated.length) break;
    left -= count(separated);
  }
  return shown.join('');
}
