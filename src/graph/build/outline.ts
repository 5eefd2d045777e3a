import { sha256 } from '../../core/ids.ts';
import type { ThreadTask } from '../../core/threads/task-thread.ts';
import { workerModule } from '../../core/threads/worker-module.ts';
import { frontMatterSpan } from '../../sources/markdown/front-matter-span.ts';
import { headingTitle } from '../../sources/markdown/plain-text.ts';
import { linkSpans, linkDefinitions, type References } from '../../sources/markdown/scan-links.ts';
import type { Statement } from '../../sources/markdown/statement-property.ts';
import { statementBefore } from './statement.ts';
import { taskIn, type Task } from './task.ts';

/** A line of a record, and what is said about it in reasons and provenance. */
export interface Place {
  /** From 1. */
  readonly line: number;
  /** The heading above the line; `null` if there is none, or in the front matter. */
  readonly heading: string | null;
  readonly inFrontMatter: boolean;
  /** SHA-256 of the line. */
  readonly hash: string;
}

/** Where a text links to a target for the first time. */
export interface LinkPlace extends Place {
  readonly target: string;
  readonly embed: boolean;
  /** How often the text links to it. */
  readonly count: number;
}

export interface TaskPlace extends Place, Task {}

/** Words of a text that say how it is related to the target of a link. */
export interface StatementPlace extends Place {
  readonly target: string;
  readonly statement: Statement;
}

/** Where the links, tasks and statements of a text are. */
export interface NoteOutline {
  readonly links: readonly LinkPlace[];
  readonly tasks: readonly TaskPlace[];
  readonly statements: readonly StatementPlace[];
}

/** A generated list may have more; they are in no graph. */
const MAX_TASKS = 1000;
const FENCE = /^[ \t>]*(?:[-*+][ \t]+)?(`{3,}|~{3,})/;
const HEADING = /^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/;

/**
 * Reads a text line by line, in time in proportion to its length. The links themselves are those that the parser of notes found;
 * this only finds their lines, so that it may see more than there are.
 */
export function noteOutline(content: string): NoteOutline {
  const scan = new OutlineScan(linkDefinitions(content));
  const bodyStart = frontMatterSpan(content)?.bodyStart ?? 0;
  let line = 0;
  for (let start = 0; start < content.length;) {
    const end = content.indexOf('\n', start);
    const text = content.slice(start, end < 0 ? content.length : end);
    scan.read(text.endsWith('\r') ? text.slice(0, -1) : text, ++line, start < bodyStart);
    if (end < 0) break;
    start = end + 1;
  }
  return scan.outline();
}

class OutlineScan {
  readonly #references: References;
  readonly #links = new Map<string, LinkPlace & { count: number }>();
  readonly #tasks: TaskPlace[] = [];
  readonly #statements: StatementPlace[] = [];
  #heading: string | null = null;
  /** The marks that opened a block of code. */
  #fence: string | null = null;
  /** The key of the front matter to which a line belongs. */
  #property = '';

  constructor(references: References) {
    this.#references = references;
  }

  read(text: string, line: number, inFrontMatter: boolean): void {
    if (this.#isCode(text)) return;
    if (inFrontMatter) this.#property = /^([^\s:#-][^:]*):/.exec(text)?.[1] ?? this.#property;
    const heading = inFrontMatter ? null : HEADING.exec(text);
    if (heading !== null) this.#heading = heading[1]!;
    let place: Place | null = null;
    const here = (): Place => (place ??= this.#place(text, line, inFrontMatter));
    const task = inFrontMatter || this.#tasks.length >= MAX_TASKS ? null : taskIn(text);
    if (task !== null) this.#tasks.push({ ...here(), ...task });
    if (!text.includes('[')) return;
    for (const { link, start } of linkSpans(text, this.#references)) {
      if (link.target === '') continue;
      this.#addLink(link.target, link.embed === true, here);
      const statement = statementBefore(text.slice(0, start), inFrontMatter ? this.#property : null);
      if (statement !== null) this.#statements.push({ ...here(), target: link.target, statement });
    }
  }

  outline(): NoteOutline {
    return { links: [...this.#links.values()], tasks: this.#tasks, statements: this.#statements };
  }

  #isCode(text: string): boolean {
    const marks = FENCE.exec(text)?.[1];
    if (this.#fence === null) {
      this.#fence = marks ?? null;
      return marks !== undefined;
    }
    if (marks?.startsWith(this.#fence) === true) this.#fence = null;
    return true;
  }

  #place(text: string, line: number, inFrontMatter: boolean): Place {
    const heading = this.#heading === null ? '' : headingTitle(this.#heading);
    return { line, heading: heading === '' ? null : heading, inFrontMatter, hash: sha256(text) };
  }

  #addLink(target: string, embed: boolean, here: () => Place): void {
    const key = `${embed ? '!' : ''}${target}`;
    const known = this.#links.get(key);
    if (known === undefined) this.#links.set(key, { ...here(), target, embed, count: 1 });
    else known.count++;
  }
}

/** @public A thread finds it by its name. */
export function noteOutlines(contents: readonly string[]): NoteOutline[] {
  return contents.map(noteOutline);
}

/** `noteOutlines` as a task for a thread, because long texts would block the caller. */
export const OUTLINES: ThreadTask<[contents: readonly string[]], NoteOutline[]> = {
  module: workerModule(import.meta.url, 'outline'),
  name: noteOutlines.name,
  inline: noteOutlines,
};
