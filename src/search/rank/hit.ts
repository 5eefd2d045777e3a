import type { AnswerConfidence } from './confidence.ts';
import type { Ranked } from './rank.ts';

/** A record that was found, with the passage that speaks for it. */
export interface Hit extends Ranked {
  /** 0 to 1: how sure it is that this is about the query; never rises along the hits. */
  readonly confidence: number;
  readonly answerConfidence: AnswerConfidence;
}
