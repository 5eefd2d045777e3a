import { LociError } from '../../core/errors.ts';
import { isJsonMap } from '../../core/json.ts';
import { eventLoopYielder } from '../../core/threads/slices.ts';
import type { DocumentProblem, FetchResult, MemoryDocument } from '../document.ts';
import { documentMapper, MapChecker, pathsOf } from './map-document.ts';
import { readDocument, type ReadDocument, type ReadFields } from './read-document.ts';
import { type ReadOptions, UnknownFieldFinder } from './unknown-fields.ts';

/** The name of a field with the time at which a task is due, such as `due_date`, even if no document says that it is a task. */
const DUE = /due|deadline/i;

type Collected = Pick<FetchResult, 'documents' | 'problems' | 'printed'>;

/**
 * Returns a function that converts values to documents. A bad one is a problem, and the others are returned.
 * @throws LociError `invalid_config` for a bad template
 */
export function documentCollector(
  options: ReadOptions,
): (values: AsyncIterable<OutputValue>) => Promise<Collected> {
  const read = documentReader(options);
  const checker = new MapChecker(options.map ?? {});
  const unknown = new UnknownFieldFinder(options);
  const isDue = pathsOf('map.timestamp', options.map?.timestamp ?? '').some((path) => DUE.test(path));
  return async (values) => {
    const collected = await collect(values, (value) => {
      if ('value' in value) {
        checker.add(value.value);
        unknown.add(value.value);
      }
      return read(value);
    });
    const documents = withDays(collected.read, isDue);
    // Problems of all documents come first, because they explain those of single documents.
    const { printed } = collected;
    return {
      documents,
      printed,
      problems: [...checker.problems(), ...unknown.problems(), ...collected.problems],
    };
  };
}

type Reader = (value: OutputValue) => ReadDocument;

function documentReader({ map, fields }: ReadOptions): Reader {
  const toDocument = map === undefined ? (value: unknown) => value : documentMapper(map);
  return (output) => {
    const { index } = output;
    if ('problem' in output) return { problem: { index, id: null, detail: output.problem, skipped: true } };
    const value = toDocument(output.value);
    if (fields === undefined) return readDocument(value, index);
    return readDocument(
      restrictToFields(value, fields),
      index,
      'it has neither text nor title among its `fields`',
    );
  };
}

async function collect(
  values: AsyncIterable<OutputValue>,
  read: Reader,
): Promise<Omit<Collected, 'documents'> & { readonly read: readonly ReadFields[] }> {
  const documents = new Map<string, ReadFields & { readonly index: number }>();
  const problems: DocumentProblem[] = [];
  const yieldIfBusy = eventLoopYielder();
  let printed = 0;
  for await (const value of values) {
    printed++;
    const result = read(value);
    if ('problem' in result) problems.push(result.problem);
    else {
      const { document } = result;
      const earlier = documents.get(document.id);
      if (earlier !== undefined) {
        const detail = `it replaces document ${String(earlier.index)}, which has the same id`;
        problems.push({ index: value.index, id: document.id, detail, skipped: false });
        documents.delete(document.id);
      }
      documents.set(document.id, { ...result, index: value.index });
    }
    await yieldIfBusy();
  }
  return { read: [...documents.values()], problems, printed };
}

/**
 * Many programs print the day on which a task is due as its midnight, often in UTC. That is read as the day, unless most tasks of
 * the same output have a time of day.
 */
function withDays(read: readonly ReadFields[], isDue: boolean): MemoryDocument[] {
  const isTask = ({ completed }: MemoryDocument): boolean => isDue || completed !== null;
  const dated = read.filter(
    ({ document }) => isTask(document) && document.timestamp !== null && !document.wholeDay,
  );
  const days = dated.filter(({ possibleDay }) => possibleDay !== null);
  const printsTimes = dated.length - days.length > days.length;
  return read.map(({ document, possibleDay }) =>
    possibleDay === null || printsTimes || !isTask(document)
      ? document
      : { ...document, timestamp: possibleDay, wholeDay: true },
  );
}

/**
 * The id of a printed document and the parts that `fields` names; `metadata.sender` names a single entry. Other parts are dropped
 * before they are checked, so that no problem quotes them.
 */
export function restrictToFields(document: unknown, fields: readonly string[]): unknown {
  if (!isJsonMap(document)) return document;
  const entries = Object.entries(document).flatMap(([name, part]): [string, unknown][] => {
    if (name === 'id' || fields.includes(name)) return [[name, part]];
    return name === 'metadata' && isJsonMap(part) ? [[name, restrictMetadata(part, fields)]] : [];
  });
  return Object.fromEntries(entries);
}

function restrictMetadata(metadata: object, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => fields.includes(`metadata.${name}`)));
}

/** A value in the output of a command, numbered from 1; or why it could not be read. */
export type OutputValue =
  { readonly index: number; readonly value: unknown } | { readonly index: number; readonly problem: string };

/** All documents of one run of a command, or of one call of a function, as JSON. */
export const MAX_OUTPUT_BYTES = 10_000_000;
const MAX_DOCUMENTS = 10_000;
/** Objects and lists within each other. */
export const MAX_NESTING = 100;

/** @throws LociError `source_failed` for more documents than a source may have, including bad ones */
export function assertDocumentLimit(documents: number, subject = 'the command printed'): void {
  if (documents <= MAX_DOCUMENTS) return;
  throw new LociError('source_failed', `${subject} more than ${String(MAX_DOCUMENTS)} documents`, {
    hint: 'Leave some out, for example completed items, or those that are older than a few months.',
  });
}
