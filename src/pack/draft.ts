import { cutOffset } from '../core/text/cut-offset.ts';
import type { Span, Trust } from '../core/types.ts';
import { headingsAbove, itemOf, itemTokens, joinSections, type ShownSpan } from './items.ts';
import { bestSentence, excerptOf } from './levels/excerpt.ts';
import type { Exclusion } from './receipt.ts';
import type { Item, FenceTag } from './render.ts';
import type { Choice, ChoiceSettings, Costs, RankedSection } from './sections/choose.ts';
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

/** The sections of a pack while they are chosen. */
export class Draft implements Costs {
  readonly #request: PackRequest;
  readonly #judged: readonly (readonly JudgedSection[])[];
  readonly #usual: Trust;
  readonly #costs = new Map<string, number>();
  readonly #texts = new Map<string, string>();
  readonly #repeated = new Set<number>();
  readonly #secrets = new Map<number, readonly Span[]>();
  readonly #searched = new Map<number, Set<number>>();
  readonly #excluded = new Map<number, Exclusion>();
  readonly #embeddedIn = new Map<number, EmbeddedSections>();

  constructor(request: PackRequest, judged: readonly (readonly JudgedSection[])[], usual: Trust) {
    this.#request = request;
    this.#judged = judged;
    this.#usual = usual;
  }

  allowed(ranked: readonly RankedSection[]): readonly RankedSection[] {
    return ranked.filter(({ candidate }) => !this.#excluded.has(candidate));
  }

  sectionsOf(candidate: number): number {
    return this.#judged[candidate]!.length;
  }

  ofSection(candidate: number, index: number): number {
    return this.#cost(`${String(candidate)}/${String(index)}`, () => {
      const section = this.#judged[candidate]![index]!;
      const { record } = this.#request.candidates[candidate]!;
      const { tableHead } = section;
      const spans = [...headingsAbove(record, section), ...(tableHead === null ? [] : [tableHead]), section];
      const text = spans.map(({ start, end }) => record.content.slice(start, end)).join(' › ');
      return this.#request.count(shownText(text)) + GAP_TOKENS;
    });
  }

  ofHeader(candidate: number): number {
    return this.#cost(String(candidate), () => {
      const nothing = { start: 0, end: 0, headings: [], tableHead: null };
      return itemTokens(this.#item(candidate, [nothing]), this.#request.count);
    });
  }

  neededBy(candidate: number, index: number): Choice {
    const section = this.#judged[candidate]![index]!;
    const { embeds, candidates } = this.#request;
    const { id } = candidates[candidate]!.record;
    const isNext = section.leadsOn && index + 1 < this.sectionsOf(candidate);
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

  laterOf(candidate: number): number | null {
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

  isRepeated(candidate: number, index: number): boolean {
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

  /** What `choose` takes of the ranked sections, without records that turn out to show nothing but credentials. */
  async safeChoice(
    choose: (among: readonly RankedSection[]) => Choice,
    ranked: readonly RankedSection[],
  ): Promise<Choice> {
    for (;;) {
      const choice = choose(this.allowed(ranked));
      if (!(await this.#findCredentials(choice))) return choice;
    }
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
  async excerpt({ candidate, index }: RankedSection, room: number): Promise<Item[]> {
    if (await this.#findIn(candidate, [index])) return [];
    const { count, candidates, query } = this.#request;
    const { record } = candidates[candidate]!;
    const section = this.#judged[candidate]![index]!;
    const weights = new Map(
      query.terms.flatMap(({ weight, any }) => any.flat().map((term) => [term, weight] as const)),
    );
    const best = bestSentence(record.content, section, weights);
    const left = room - this.ofHeader(candidate) - GAP_TOKENS;
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
  least({ candidate, index }: RankedSection): number {
    return (
      this.ofHeader(candidate) + Math.min(this.ofSection(candidate, index), GAP_TOKENS + MIN_EXCERPT_TOKENS)
    );
  }

  /** Why each candidate is not in the pack, if it is not. */
  reasons(ranked: readonly RankedSection[], { floor }: ChoiceSettings): (Exclusion | null)[] {
    const allowed = this.allowed(ranked);
    const least = floor * (allowed[0]?.score ?? 0);
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
