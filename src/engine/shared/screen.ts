import { SECRET_DETECTION } from '../../secrets/detect.ts';
import { maskPersonalNumbers } from '../../secrets/personal-numbers.ts';
import { maskSecrets } from '../../secrets/secret.ts';
import { LociError } from '../../core/errors.ts';
import { mapStrings } from '../../core/json.ts';
import type { Json } from '../../core/types.ts';
import type { EngineContext } from '../context.ts';
import { assertWithinLimits, type WrittenTexts } from '../fields/limits.ts';

interface ScreenedTexts<Texts> {
  readonly texts: Texts;
  /** Kinds of secrets that were masked, each once. */
  readonly masked: string[];
}

/** The field whose value the key of a fact describes: a key `password` shows that `hunter2` is a secret. */
const KEYED_FIELD = 'content';

/** The fields that tell facts and startup entries apart. Masked values would be equal, so that one replaced the other. */
const IDENTIFYING_FIELDS: readonly string[] = ['key', 'category', 'agent'];

/**
 * Masks or refuses secrets, according to `writes.secrets`, and masks personal numbers if `writes.maskPersonal` asks for it, before
 * anything is stored, indexed, embedded or logged.
 * @throws LociError `secret_refused` with the field and the kind of secret; `invalid_input` for a text that masks make
 *   too long, and for the key, category or agent of a fact or startup entry that has a secret
 */
export async function screenTexts<Texts extends WrittenTexts>(
  context: EngineContext,
  texts: Texts,
): Promise<ScreenedTexts<Texts>> {
  const { secrets, maskPersonal } = context.config.writes;
  if (secrets === 'allow' && !maskPersonal) return { texts, masked: [] };
  const kinds = new Set<string>();
  const result: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(texts) as [string, Json][]) {
    const name = field === KEYED_FIELD ? (texts.key ?? '') : '';
    const screen = new Screen(context);
    result[field] = await mapStrings(value, (text, textName) => screen.text(field, text, textName), name);
    const [kind] = screen.kinds;
    if (kind !== undefined && texts.key !== undefined && IDENTIFYING_FIELDS.includes(field))
      throw new LociError('invalid_input', `the ${field} has what looks like a secret: ${kind}`, {
        hint: 'Choose another name.',
      });
    for (const each of screen.kinds) kinds.add(each);
  }
  const masked = [...kinds];
  if (masked.length > 0) assertWithinLimits(result);
  return { texts: result as unknown as Texts, masked };
}

class Screen {
  readonly #context: EngineContext;
  readonly kinds = new Set<string>();

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** @param name the key of the text in its object, or of the fact */
  async text(field: string, text: string, name: string): Promise<string> {
    const { secrets, maskPersonal } = this.#context.config.writes;
    const rest = secrets === 'allow' ? text : await this.#withoutSecrets(field, text, name);
    if (!maskPersonal) return rest;
    const masked = maskPersonalNumbers(rest);
    for (const kind of masked.kinds) this.kinds.add(kind);
    return masked.text;
  }

  async #withoutSecrets(field: string, text: string, name: string): Promise<string> {
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
