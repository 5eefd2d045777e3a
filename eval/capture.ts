import { readFileSync } from 'node:fs';
import { statedFacts } from '../src/engine/capture/sentences/classify.ts';

/** What should happen with a message, judged by its meaning. `eval/capture/README.md` defines the labels. */
export type CaptureLabel = 'store' | 'propose' | 'nothing';

interface LabelledMessage {
  readonly label: CaptureLabel;
  /** The kind of sentence: `request`, `secret`, `moment` … */
  readonly kind: string;
  readonly message: string;
}

export interface CaptureFigures {
  readonly messages: number;
  /** The share of what is stored without asking that is labelled so. */
  readonly precision: number;
  /** The share of `store` that is stored without asking. */
  readonly recall: number;
  /** The share of `store` and `propose` that is stored or proposed. */
  readonly found: number;
  /** How many messages with a secret are stored or proposed. */
  readonly secrets: number;
  /** The share of proposals that are labelled `propose` or `store`. */
  readonly usefulProposals: number;
  /** What was decided otherwise than the label. */
  readonly mistakes: readonly string[];
}

export function readCaptureSet(name: string): LabelledMessage[] {
  const text = readFileSync(new URL(`./capture/${name}.tsv`, import.meta.url), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [label, kind = '', message = ''] = line.split('\t');
      return { label: label as CaptureLabel, kind, message };
    });
}

async function decide(message: string): Promise<CaptureLabel> {
  const { facts } = await statedFacts(message);
  if (facts.some(({ isSure }) => isSure)) return 'store';
  return facts.length > 0 ? 'propose' : 'nothing';
}

/** What auto-capture does with the messages of a set, compared with their labels. */
export async function captureFigures(set: readonly LabelledMessage[]): Promise<CaptureFigures> {
  const decided = await Promise.all(
    set.map(async (each) => ({ ...each, decision: await decide(each.message) })),
  );
  const stored = decided.filter(({ decision }) => decision === 'store');
  const proposed = decided.filter(({ decision }) => decision === 'propose');
  const lasting = decided.filter(({ label }) => label !== 'nothing');
  const share = <Item>(items: readonly Item[], holds: (item: Item) => boolean): number =>
    items.filter(holds).length / items.length;
  return {
    messages: set.length,
    precision: share(stored, ({ label }) => label === 'store'),
    recall: share(
      decided.filter(({ label }) => label === 'store'),
      ({ decision }) => decision === 'store',
    ),
    found: share(lasting, ({ decision }) => decision !== 'nothing'),
    secrets: decided.filter(({ kind, decision }) => kind === 'secret' && decision !== 'nothing').length,
    usefulProposals: share(proposed, ({ label }) => label !== 'nothing'),
    mistakes: decided
      .filter(({ label, decision }) => label !== decision)
      .map(({ label, kind, message, decision }) => `${label} → ${decision} (${kind}): ${message}`),
  };
}
