import { SECRET_DETECTION } from '../../secrets/detect.ts';
import { maskSecrets } from '../../secrets/mask.ts';
import { LociError } from '../../core/errors.ts';
import { mapStrings } from '../../core/json.ts';
import type { Json } from '../../core/types.ts';
import type { EngineContext } from '../context.ts';
import { assertWithinLimits, type WrittenTexts } from './limits.ts';

export interface Screened<Texts> {
  readonly texts: Texts;
  /** Kinds of secrets that were masked, each once. */
  readonly masked: readonly string[];
}

/** Of what a text may be the value: a fact's key tells that `hunter2` is a password. */
const NAMED_BY_KEY = 'content';

/**
 * What of these texts may be stored, as `writes.secrets` says: before anything is stored, indexed, embedded or logged.
 * @throws LociError `secret_refused` that names what kind of secret is where; `invalid_input` for a text that a mask
 *   made too long
 */
export async function screened<Texts extends WrittenTexts>(
  context: EngineContext,
  texts: Texts,
): Promise<Screened<Texts>> {
  if (context.config.writes.secrets === 'allow') return { texts, masked: [] };
  const screen = new Screen(context);
  const result: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(texts) as [string, Json][]) {
    const name = field === NAMED_BY_KEY ? (texts.key ?? '') : '';
    result[field] = await mapStrings(value, (text, of) => screen.text(field, text, of), name);
  }
  const masked = [...screen.kinds];
  if (masked.length > 0) assertWithinLimits(result);
  return { texts: result as unknown as Texts, masked };
}

class Screen {
  readonly #context: EngineContext;
  readonly kinds = new Set<string>();

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** `name` is what the text is the value of. */
  async text(field: string, text: string, name: string): Promise<string> {
    const { thread, config } = this.#context;
    const found = await thread.run(SECRET_DETECTION, [text, name], { size: text.length });
    const [first] = found;
    if (first === undefined) return text;
    if (config.writes.secrets === 'refuse') {
      throw new LociError('secret_refused', `${field} holds a secret: ${first.kind}`);
    }
    for (const { kind } of found) this.kinds.add(kind);
    return maskSecrets(text, found);
  }
}
