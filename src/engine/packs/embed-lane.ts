import type { LociRecord } from '../../core/types.ts';
import type { Candidate } from '../../pack/candidate.ts';
import type { Embed } from '../../pack/sections/embeds.ts';
import { linkSpans } from '../../sources/markdown/scan-links.ts';
import { admits } from '../../store/rules/filter.ts';
import type { SearchFilter } from '../../store/search-model.ts';
import type { EngineContext } from '../context.ts';
import { wholeCitations } from '../shared/citations.ts';
import type { Lane } from './lanes.ts';

/** Candidates whose embeds are followed: the best ones, since a section of others is rarely shown. */
const MAX_HOSTS = 20;
/** Embeds that are followed. */
const MAX_EMBEDS = 100;
/** Without an answer within this time, a pack shows the embeds as they are written. Milliseconds. */
const DEADLINE_MS = 500;
/** Stands for the passage of a record that no search has found, or that has none, such as an empty note. */
export const NO_PASSAGE = { ordinal: 0, text: '', startLine: 1, endLine: 1 };

/** Finds the notes that candidates embed, so that a section is shown together with what it embeds. */
export class EmbedLane implements Lane {
  readonly name = 'embeds';
  readonly deadlineMs = DEADLINE_MS;
  readonly isOff = false;
  /** Empty where the lane fails or is late. */
  embeds: readonly Embed[] = [];
  readonly #context: EngineContext;
  readonly #filter: SearchFilter;

  readonly #citationPrefix: string;

  /** @param filter what the records of the pack must meet */
  constructor(context: EngineContext, filter: SearchFilter, citationPrefix: string) {
    this.#citationPrefix = citationPrefix;
    this.#context = context;
    this.#filter = filter;
  }

  async expand(base: readonly Candidate[], signal: AbortSignal): Promise<readonly Candidate[]> {
    const written = base
      .filter(({ record, excluded }) => excluded === null && record.origin === 'vault')
      .slice(0, MAX_HOSTS)
      .flatMap(embedsIn)
      .slice(0, MAX_EMBEDS);
    if (written.length === 0) return [];
    const { store, namespace, now } = this.#context;
    const selector = {
      from: [...new Set(written.map(({ host }) => host))],
      targets: [...new Set(written.map(({ target }) => target))],
    };
    const links = await store.records.links(namespace, selector, { after: null, limit: MAX_EMBEDS * 4 });
    const targets = new Map(
      links.flatMap(({ record, target, type, targetRecord }) =>
        type === 'embed' && targetRecord !== null ? [[`${String(record)} ${target}`, targetRecord]] : [],
      ),
    );
    const embeds = written.flatMap(({ target, ...embed }): Embed[] => {
      const record = targets.get(`${String(embed.host)} ${target}`);
      return record === undefined || record === embed.host ? [] : [{ ...embed, record }];
    });
    const found = new Set(base.map(({ record }) => record.id));
    const missing = [...new Set(embeds.map(({ record }) => record))].filter((id) => !found.has(id));
    const records = (await store.records.get(namespace, missing, { liveAt: now() })).filter((record) =>
      admits(record, this.#filter),
    );
    const added = await this.#candidatesOf(records, embeds, base);
    signal.throwIfAborted();
    this.embeds = embeds;
    return added;
  }

  /** They have no relevance of their own: they are here because a candidate embeds them. */
  async #candidatesOf(
    records: readonly LociRecord[],
    embeds: readonly Embed[],
    base: readonly Candidate[],
  ): Promise<Candidate[]> {
    const citations = await wholeCitations(this.#context, records);
    const hosts = new Map(base.map((candidate) => [candidate.record.id, candidate]));
    return records.map((record, i): Candidate => {
      const host = hosts.get(embeds.find((embed) => embed.record === record.id)!.host)!;
      return {
        ...{ record, passage: NO_PASSAGE, passages: [], secrets: [], score: host.score, relevance: 0 },
        ...{
          lane: this.name,
          path: null,
          via: `embedded in ${this.#citationPrefix}${host.citation}`,
          excluded: null,
        },
        citation: citations[i]!,
      };
    });
  }
}

type WrittenEmbed = Omit<Embed, 'record'> & { readonly target: string };

function embedsIn({ record: { id, content } }: Candidate): WrittenEmbed[] {
  if (!content.includes('![')) return [];
  return linkSpans(content).flatMap(({ link: { target, heading, block, embed }, start }) =>
    embed === true && target !== ''
      ? [
          {
            ...{ host: id, offset: start, target },
            ...(heading !== undefined && { heading }),
            ...(block !== undefined && { block }),
          },
        ]
      : [],
  );
}
