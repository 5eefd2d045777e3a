import type { BootstrapEvent } from './host/api.ts';

const MAX_SESSIONS = 1000;
/** The host cuts longer files, unless its settings say otherwise. In characters. */
const MAX_FILE_LENGTH = 20_000;
const MAX_FILE_LENGTHS: Readonly<Record<string, number>> = { 'USER.md': 4000 };

/** The files of the workspace that the host puts into the system prompt, such as `MEMORY.md`, as it last did in each session. */
export class PromptFiles {
  readonly #texts = new Map<string, readonly string[]>();

  note({ sessionKey, context }: BootstrapEvent): void {
    const whole = (context.bootstrapFiles ?? []).flatMap(({ name, content = '' }) =>
      content.length > (MAX_FILE_LENGTHS[name] ?? MAX_FILE_LENGTH) ? [] : [content],
    );
    this.#texts.delete(sessionKey);
    this.#texts.set(sessionKey, whole);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > MAX_SESSIONS && oldest !== undefined) this.#texts.delete(oldest);
  }

  of(sessionKey = ''): readonly string[] {
    return this.#texts.get(sessionKey) ?? [];
  }
}
