import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { LociError } from '../../src/core/errors.ts';
import { shownText } from '../../src/pack/text/span.ts';

/** A piece of a note: a sentence, an item of a list, or a row of a table. */
const statement = z.object({
  /** The note that has it, relative to the root of the corpus. */
  path: z.string(),
  text: z.string().min(1),
});

const need = statement.extend({
  /** Statements of the same fact elsewhere, which will do as well. */
  or: z.array(statement).default([]),
});

const question = z.object({
  id: z.string(),
  q: z.string(),
  /** `near` questions have the topics and words of the notes, `far` ones have not. The notes answer neither. */
  cat: z.enum(['answered', 'near', 'far']),
  half: z.enum(['dev', 'test']),
  /** What a text must hold so that its reader can answer in full; empty for questions without an answer. */
  needs: z.array(need).default([]),
});

const questionSet = z.object({
  name: z.string(),
  corpora: z
    .array(
      z.object({
        id: z.string(),
        /** The folder of its notes, relative to the file of the set. */
        root: z.string(),
        questions: z.array(question).min(1),
      }),
    )
    .min(1),
});

type Need = z.infer<typeof need>;
export type Question = z.infer<typeof question>;

export interface Corpus {
  readonly id: string;
  /** The folder of its notes, absolute. */
  readonly root: string;
  readonly questions: readonly Question[];
}

export const ANSWERS: string = fileURLToPath(new URL('../sets/answers.json', import.meta.url));

/**
 * Reads a set of questions with the statements that answer them.
 * @throws LociError `invalid_input` that names the file and what is wrong with it
 */
export function loadQuestionSet(file: string): Corpus[] {
  const parsed = questionSet.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (!parsed.success) throw new LociError('invalid_input', `${file}: ${z.prettifyError(parsed.error)}`);
  for (const { questions } of parsed.data.corpora)
    for (const { id, cat, needs } of questions)
      if ((cat === 'answered') !== needs.length > 0)
        throw new LociError(
          'invalid_input',
          `${file}: ${id} is ${cat} and needs ${String(needs.length)} statements`,
        );
  return parsed.data.corpora.map(({ id, root, questions }) => ({
    ...{ id, questions },
    root: resolve(dirname(file), root),
  }));
}

/** The texts of the notes of a corpus by their paths, in the order of paths. */
export function notesOf({ root }: Pick<Corpus, 'root'>): Map<string, string> {
  const paths = globSync('**/*.md', { cwd: root }).sort();
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

/**
 * The text in the form in which statements are compared: as a pack shows it, on one line, without the marks of emphasis and of quotes.
 * A statement is so found across the ends of lines, and a row of a table whatever the widths of its columns.
 */
export function comparable(text: string): string {
  return shownText(text)
    .replaceAll(/^[ \t]*>[ \t]?/gm, '')
    .replaceAll('*', '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The needs that a text does not hold. */
export function missingNeeds(needs: readonly Need[], text: string): Need[] {
  const held = comparable(text);
  return needs.filter((need) => ![need, ...need.or].some((each) => held.includes(comparable(each.text))));
}
