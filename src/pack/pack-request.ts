import type { Span } from '../core/types.ts';
import type { Candidate } from './candidate.ts';
import type { FenceTag } from './render.ts';
import type { Embed } from './sections/embeds.ts';
import type { SectionQuery } from './sections/judge.ts';
import type { CountTokens } from './tokens.ts';

/** Finds the credentials in and near spans of a record, and whether its title has one. */
export type FindCredentials = (
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
