import { type z } from 'zod';
import { explainIssues } from '../../../config/problems.ts';
import { sourceNameKey, source } from '../../../config/sources-schema.ts';
import { LociError } from '../../../core/errors.ts';
import type { Json } from '../../../core/types.ts';
import type { DocumentSource, FetchedDocument } from '../../../sources/document.ts';
import { openSource } from '../../../sources/registry.ts';

const codeSettings = source.omit({
  kind: true,
  path: true,
  command: true,
  shell: true,
  cwd: true,
  env: true,
  watch: true,
  map: true,
});

/** A source whose documents a function of the program returns. The settings mean the same as those in `loci.yaml`. */
export interface ReadOnlyMemorySource {
  /** Lowercase letters, digits, dots, dashes and underscores. The documents are stored under it. */
  readonly id: string;
  /** The name in results: `From Google Tasks`. */
  readonly name: string;
  /** How often `keepFresh` fetches the documents. */
  readonly refreshIntervalMs: number;
  /**
   * Returns all current documents: those that are missing are removed from the store. When it throws, the last documents stay,
   * and it is tried again.
   * @param signal fires when the result is no longer wanted: after `timeoutMs`, or when Loci is closed
   */
  fetch(signal: AbortSignal): Promise<readonly FetchedDocument[]>;
  /** Default 30,000. */
  readonly timeoutMs?: number;
  /** The parts of a document that may be stored, such as `title` or `metadata.sender`. Default: all of them. */
  readonly fields?: readonly string[];
  /** Default 500. */
  readonly maxDocuments?: number;
  /** Default 0.5. */
  readonly weight?: number;
  /** Default 0.1. */
  readonly minScore?: number;
  readonly keepCompleted?: boolean;
  readonly includeInContext?: boolean;
  readonly enabled?: boolean;
  readonly project?: string;
}

/** A source that the program has registered, with valid settings. */
export interface CodeSource {
  readonly kind: 'code';
  readonly id: string;
  readonly name: string;
  readonly settings: Omit<z.infer<typeof codeSettings>, 'id'>;
  open(): Promise<DocumentSource>;
  /** Fires when it is no longer registered. */
  readonly unregistered: AbortSignal;
}

export interface Registration {
  /** Stops a running fetch. The documents stay in the store; `sources.forget` removes them. */
  unregister(): void;
}

/** The sources that the program has registered with an open engine. */
export class RegisteredSources {
  readonly #sources = new Map<string, CodeSource>();
  #changedAt = 0;

  /** The time of `performance.now` at which a source was last registered or unregistered. */
  get changedAt(): number {
    return this.#changedAt;
  }

  list(): readonly CodeSource[] {
    return [...this.#sources.values()];
  }

  /**
   * @param others the names of all vaults and of the sources in the settings
   * @throws LociError `invalid_input` for a wrong setting; `conflict` when another source or vault has the id
   */
  register(given: ReadOnlyMemorySource, others: readonly string[]): Registration {
    const { id, ...settings } = parseSettings(given);
    assertFree(id, [...others, ...this.#sources.keys()]);
    const unregistered = new AbortController();
    let opened: Promise<DocumentSource> | undefined;
    const open = (): Promise<DocumentSource> =>
      (opened ??= openSource('code', {
        fetchDocuments: (signal) => given.fetch(signal),
        timeout: settings.timeout,
        ...(settings.fields !== undefined && { fields: settings.fields }),
      }));
    const registered: CodeSource = {
      kind: 'code',
      id,
      name: settings.name ?? id,
      settings,
      open,
      unregistered: unregistered.signal,
    };
    this.#sources.set(id, registered);
    this.#changedAt = performance.now();
    return {
      unregister: () => {
        if (this.#sources.get(id) !== registered) return;
        this.#sources.delete(id);
        this.#changedAt = performance.now();
        unregistered.abort(new LociError('aborted', `${id} is no longer registered`));
      },
    };
  }
}

function assertFree(id: string, names: readonly string[]): void {
  if (!names.some((name) => sourceNameKey(name) === sourceNameKey(id))) return;
  throw new LociError('conflict', `another source or vault is called ${id}`, {
    hint: 'Register the source under another id, or unregister the other one first.',
  });
}

/** Reads only the properties that a source has, because it may be an object with others. */
function parseSettings(given: ReadOnlyMemorySource): z.infer<typeof codeSettings> {
  // Programs in JavaScript pass anything.
  if (typeof given !== 'object' || (given as unknown) === null)
    throw new LociError('invalid_input', 'source: expected an object');
  const { id, name, refreshIntervalMs, timeoutMs, fields, maxDocuments, weight, minScore, keepCompleted } =
    given;
  const { includeInContext, enabled, project } = given;
  if (typeof given.fetch !== 'function')
    throw new LociError('invalid_input', 'source.fetch: expected a function');
  const named = {
    id,
    name,
    refreshInterval: refreshIntervalMs,
    timeout: timeoutMs,
    fields,
    maxDocuments,
    weight,
    minScore,
    keepCompleted,
    includeInContext,
    enabled,
    project,
  };
  const values = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  const parsed = codeSettings.safeParse(values);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({ ...issue, path: ['sources', 0, ...issue.path] }));
  const problems = explainIssues(issues, { sources: [values as Json] }).map(({ message }) => message);
  throw new LociError(
    'invalid_input',
    problems
      .join('; ')
      .replaceAll('sources[0]', 'source')
      .replaceAll(/\b(refreshInterval|timeout)\b/g, '$1Ms'),
  );
}
