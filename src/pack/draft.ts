import { cutOffset } from '../core/text/cut-offset.ts';
import type { Span, Trust } from '../core/types.ts';
import { headingsAbove, itemOf, itemTokens, joinSections, type ShownSpan } from './items.ts';
import { bestSentence, excerptOf } from './levels/excerpt.ts';
import type { Exclusion } from './receipt.ts';
import type { Item, FenceTag } from './render.ts';
import { EmbeddedSections, type Embed } from './sections/cut.ts';
import type { JudgedSection, SectionQuery } from './sections/judge.ts';
import { shownText, extendToCodePoints, withoutSpans } from './text/span.ts';
import type { Candidate } from './candidate.ts';
import type { CountTokens } from './tokens.ts';

/** Finds the credentials in and near spans of a record, and whether its title has one. */
type FindCredentials = (
  record: Candidate['record'],
  spans: readonly Span[],
) => Promise<{ readonly secrets: readonly Span[]; readonly inTitle: boolean }>;

export interface PackRequest {
  readonly query: SectionQuery;
  readonly budget: number;
  /** Best first. */
  readonly candidates: readonly Candidate[];
  /** What the candidates embed. */
  readonly embeds: readonly Embed[];
  readonly count: CountTokens;
  /** How the receipt names the way to count. */
  readonly tokenizer: string;
  readonly fence: FenceTag;
  readonly findCredentials: FindCredentials;
  /** Whether no candidate is likely to be what the query asks for, which the text then says. */
  readonly isUnsure: boolean;
}

export interface ChoiceSettings {
  /** A section with a lower share of the best score is left out, even if there is room. */
  readonly floor: number;
  /** The best record is taken whole if it needs at most so many tokens. */
  readonly wholeTokens: number;
  /** How much the score of its record adds to that of a section. */
  readonly recordShare: number;
}

/** A section among those of all candidates. */
interface RankedSection {
  /** The position of its record among the candidates. */
  readonly candidate: number;
  /** Its position in the record. */
  readonly index: number;
  /** Comparable within one pack only. */
  readonly score: number;
}

type SectionPlace = Pick<RankedSection, 'candidate' | 'index'>;

/** The chosen sections in the order in which they are needed. */
type Choice = readonly SectionPlace[];

/**
 * All sections of all candidates, best first. The search ranks records, with what it knows of links, dates and sources; the sections of
 * a record share its score in proportion to how well they match by themselves.
 */
function orderSections(
  candidates: readonly Candidate[],
  judged: readonly (readonly JudgedSection[])[],
  { recordShare }: ChoiceSettings,
): RankedSection[] {
  const ranked = judged.flatMap((sections, candidate) => {
    const best = sections.reduce((max, { match }) => Math.max(max, match), 0);
    const { relevance } = candidates[candidate]!;
    return sections.map((section, index): RankedSection => {
      const share = best === 0 ? (index === 0 ? 1 : 0) : section.match / best;
      return { candidate, index, score: relevance * (share + recordShare) };
    });
  });
  return ranked.sort((a, b) => b.score - a.score || a.candidate - b.candidate || a.index - b.index);
}

/** The sections of a pack while they are chosen. */
export class Draft {
  readonly #request: PackRequest;
  readonly #judged: readonly (readonly JudgedSection[])[];
  readonly #ranked: readonly RankedSection[];
  readonly #settings: ChoiceSettings;
  readonly #usual: Trust;
  readonly #costs = new Map<string, number>();
  readonly #texts = new Map<string, string>();
  readonly #repeated = new Set<number>();
  readonly #secrets = new Map<number, readonly Span[]>();
  readonly #searched = new Map<number, Set<number>>();
  readonly #excluded = new Map<number, Exclusion>();
  readonly #embeddedIn = new Map<number, EmbeddedSections>();

  constructor(
    request: PackRequest,
    judged: readonly (readonly JudgedSection[])[],
    settings: ChoiceSettings,
    usual: Trust,
  ) {
    this.#request = request;
    this.#judged = judged;
    this.#ranked = orderSections(request.candidates, judged, settings);
    this.#settings = settings;
    this.#usual = usual;
  }

  /** The best section that may be shown. */
  get best(): RankedSection | undefined {
    return this.#allowed()[0];
  }

  #allowed(): readonly RankedSection[] {
    return this.#ranked.filter(({ candidate }) => !this.#excluded.has(candidate));
  }

  /** Chooses sections for a budget, without records that turn out to show nothing but credentials. */
  async choose(budget: number): Promise<Choice> {
    for (;;) {
      const choice = this.#choiceFor(budget);
      if (!(await this.#findCredentials(choice))) return choice;
    }
  }

  /**
   * Sections in their order, as many as fit, down to the floor. The best record is taken whole if it is short. A section
   * brings along what it announces or embeds. An earlier record is chosen only behind the later one that says the same.
   */
  #choiceFor(budget: number): Choice {
    const { floor, wholeTokens } = this.#settings;
    const ranked = this.#allowed();
    const [best] = ranked;
    if (best === undefined) return [];
    const chosen: SectionPlace[] = [];
    const taken = new Map<number, Set<number>>();
    let left = budget;
    const take = ({ candidate, index }: SectionPlace): boolean => {
      const own = taken.get(candidate);
      if (own?.has(index) === true) return true;
      const later = own === undefined ? this.#laterOf(candidate) : null;
      if (later !== null && !taken.has(later)) {
        // One that may not be shown is not among them.
        const first = ranked.find((each) => each.candidate === later);
        if (first !== undefined && !take(first)) return false;
      }
      const cost = this.#ofSection(candidate, index) + (own === undefined ? this.#ofHeader(candidate) : 0);
      if (cost > left || this.#isRepeated(candidate, index)) return false;
      left -= cost;
      chosen.push({ candidate, index });
      taken.set(candidate, (own ?? new Set()).add(index));
      return true;
    };
    const takeWithNeeded = (place: SectionPlace): void => {
      if (take(place)) for (const needed of this.#neededBy(place)) take(needed);
    };
    const all = this.#judged[best.candidate]!.map((_, index) => ({ candidate: best.candidate, index }));
    const whole = all.reduce(
      (sum, { candidate, index }) => sum + this.#ofSection(candidate, index),
      this.#ofHeader(best.candidate),
    );
    if (whole <= wholeTokens) for (const place of [best, ...all]) takeWithNeeded(place);
    for (const each of ranked) {
      if (each.score < floor * best.score) break;
      takeWithNeeded(each);
    }
    return chosen;
  }

  /** The tokens of a section with what separates it from others. */
  #ofSection(candidate: number, index: number): number {
    return this.#cost(`${String(candidate)}/${String(index)}`, () => {
      const section = this.#judged[candidate]![index]!;
      const { record } = this.#request.candidates[candidate]!;
      const { tableHead } = section;
      const spans = [...headingsAbove(record, section), ...(tableHead === null ? [] : [tableHead]), section];
      const text = spans.map(({ start, end }) => record.content.slice(start, end)).join(' › ');
      return this.#request.count(shownText(text)) + GAP_TOKENS;
    });
  }

  /** The tokens of the first line of a record. */
  #ofHeader(candidate: number): number {
    return this.#cost(String(candidate), () => {
      const nothing = { start: 0, end: 0, headings: [], tableHead: null };
      return itemTokens(this.#item(candidate, [nothing]), this.#request.count);
    });
  }

  /** The sections that a section needs beside it: what it announces or embeds. */
  #neededBy({ candidate, index }: SectionPlace): Choice {
    const section = this.#judged[candidate]![index]!;
    const { embeds, candidates } = this.#request;
    const { id } = candidates[candidate]!.record;
    const isNext = section.leadsOn && index + 1 < this.#judged[candidate]!.length;
    const next = isNext ? [{ candidate, index: index + 1 }] : [];
    const embedded = embeds
      .filter(({ host, offset }) => host === id && offset >= section.start && offset < section.end)
      .flatMap((embed) => {
        const shown = candidates.findIndex(({ record }) => record.id === embed.record);
        if (shown < 0 || this.#excluded.has(shown)) return [];
        return this.#embedded(shown)
          .of(embed)
          .map((at) => ({ candidate: shown, index: at }));
      });
    return [...next, ...embedded];
  }

  /** The candidate that says the same as this one at a later time; `null` if there is none. */
  #laterOf(candidate: number): number | null {
    const { candidates } = this.#request;
    const later = candidates[candidate]!.later?.citation;
    const at = candidates.findIndex(({ citation }) => citation === later);
    return at < 0 ? null : at;
  }

  #embedded(candidate: number): EmbeddedSections {
    const known = this.#embeddedIn.get(candidate);
    if (known !== undefined) return known;
    const { content } = this.#request.candidates[candidate]!.record;
    const found = new EmbeddedSections(content, this.#judged[candidate]!);
    this.#embeddedIn.set(candidate, found);
    return found;
  }

  /** Whether the section says what a section says that is chosen already; remembers those that do not. */
  #isRepeated(candidate: number, index: number): boolean {
    const { start, end } = this.#judged[candidate]![index]!;
    const text = this.#request.candidates[candidate]!.record.content.slice(start, end).replaceAll(
      /\s+/g,
      ' ',
    );
    const key = `${String(candidate)}/${String(index)}`;
    const first = this.#texts.get(text) ?? key;
    this.#texts.set(text, first);
    if (first !== key) this.#repeated.add(candidate);
    return first !== key;
  }

  /**
   * Finds the credentials of chosen records and excludes those whose title has one, or that show nothing else. Whether a record was
   * excluded, so that something else can be chosen.
   */
  async #findCredentials(choice: Choice): Promise<boolean> {
    const byCandidate = Map.groupBy(choice, ({ candidate }) => candidate);
    const excluded = await Promise.all(
      [...byCandidate].map(([candidate, sections]) =>
        this.#findIn(
          candidate,
          sections.map(({ index }) => index),
        ),
      ),
    );
    if (!excluded.includes(true)) return false;
    this.#texts.clear();
    return true;
  }

  async #findIn(candidate: number, sections: readonly number[]): Promise<boolean> {
    const searched = this.#searched.get(candidate) ?? new Set();
    this.#searched.set(candidate, searched);
    if (sections.every((index) => searched.has(index))) return false;
    for (const index of sections) searched.add(index);
    const { record } = this.#request.candidates[candidate]!;
    const spans = [...searched].map((index) => this.#judged[candidate]![index]!);
    // What is shown above a section may be far from it.
    const above = spans.flatMap(({ headings, tableHead }) =>
      tableHead === null ? headings : [...headings, tableHead],
    );
    const { secrets, inTitle } = await this.#request.findCredentials(record, [...spans, ...above]);
    const whole = secrets.map((secret) => extendToCodePoints(record.content, secret));
    this.#secrets.set(candidate, whole);
    if (!inTitle && spans.some((span) => withoutSpans(span, whole).length > 0)) return false;
    this.#excluded.set(candidate, 'secret');
    return true;
  }

  /** The items of the records, in the order in which they are needed; the sections of each in their own order. */
  items(choice: Choice): Item[] {
    return [...Map.groupBy(choice, ({ candidate }) => candidate)].map(([candidate, sections]) => {
      const chosen = sections.map(({ index }) => this.#judged[candidate]![index]!);
      return this.#item(candidate, joinSections(this.#request.candidates[candidate]!.record, chosen));
    });
  }

  /** The part of the best section around its best sentence, if no whole section fits. */
  async excerpt({ candidate, index }: SectionPlace, room: number): Promise<Item[]> {
    if (await this.#findIn(candidate, [index])) return [];
    const { count, candidates, query } = this.#request;
    const { record } = candidates[candidate]!;
    const section = this.#judged[candidate]![index]!;
    const weights = new Map(
      query.terms.flatMap(({ weight, any }) => any.flat().map((term) => [term, weight] as const)),
    );
    const best = bestSentence(record.content, section, weights);
    const left = room - this.#ofHeader(candidate) - GAP_TOKENS;
    const around = (tokens: number): Span => excerptOf(record.content, section, best, count, tokens);
    // A sentence that is too long by itself is cut after a word.
    const within = (tokens: number): Span => {
      const end = Math.min(best.end, best.start + tokens * LONG_TOKEN);
      return {
        start: best.start,
        end: end < best.end ? cutOffset(record.content, best.start, end, 'sentences') : end,
      };
    };
    for (const cut of [around, within])
      for (let tokens = left; tokens >= MIN_EXCERPT_TOKENS; tokens -= 8) {
        const span = cut(tokens);
        const headings = headingsAbove(record, { ...section, ...span });
        const item = this.#item(candidate, [{ ...span, headings, tableHead: null }]);
        if (itemTokens(item, count) <= room) return [item];
      }
    return [];
  }

  /** The tokens of the smallest item that says something. */
  least({ candidate, index }: SectionPlace): number {
    return (
      this.#ofHeader(candidate) + Math.min(this.#ofSection(candidate, index), GAP_TOKENS + MIN_EXCERPT_TOKENS)
    );
  }

  /** Why each candidate is not in the pack, if it is not. */
  reasons(): (Exclusion | null)[] {
    const allowed = this.#allowed();
    const least = this.#settings.floor * (allowed[0]?.score ?? 0);
    const reachable = new Set(allowed.flatMap(({ candidate, score }) => (score >= least ? [candidate] : [])));
    return this.#request.candidates.map(({ excluded }, i) => {
      const own = excluded ?? this.#excluded.get(i);
      if (own !== undefined) return own;
      if (this.#repeated.has(i)) return 'duplicate';
      return reachable.has(i) ? 'budget' : 'threshold';
    });
  }

  #item(candidate: number, spans: readonly ShownSpan[]): Item {
    const given = this.#request.candidates[candidate]!;
    return itemOf({ ...given, secrets: this.#secrets.get(candidate) ?? [] }, candidate, spans, this.#usual);
  }

  #cost(key: string, count: () => number): number {
    const known = this.#costs.get(key);
    if (known !== undefined) return known;
    const cost = count();
    this.#costs.set(key, cost);
    return cost;
  }
}

/** What stands between two sections of a record: a line with its number and headings. */
const GAP_TOKENS = 10;
/** Few tokens are longer on average. UTF-16 code units. */
const LONG_TOKEN = 6;
/** A shorter excerpt is no memory of its section. */
const MIN_EXCERPT_TOKENS = 12;
