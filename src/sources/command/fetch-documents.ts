import type { DocumentMap } from '../../config/sources-schema.ts';
import type { DocumentProblem, Fetched, MemoryDocument } from '../document.ts';
import { readDocument, type ReadDocument } from './document.ts';
import { restrictTo } from './fields.ts';
import { documentMapper } from './map-document.ts';
import { MapProblems } from './map-problems.ts';
import { pacer } from './pace.ts';
import { parseDocuments } from './parse-documents.ts';
import type { PrintedValue } from './printed.ts';
import { type CommandRequest, runCommand } from './run-command.ts';

export interface FetchRequest extends CommandRequest {
  readonly map?: DocumentMap;
  /** What of a document may be stored; everything unless given. */
  readonly fields?: readonly string[];
}

/**
 * Runs a command and reads the documents that it prints. A bad document is a problem, the good ones beside it are kept.
 * @throws LociError `source_failed` when the command fails or its output as a whole cannot be read; `aborted`;
 *   `invalid_config` for a bad template
 */
export async function fetchDocuments(request: FetchRequest): Promise<Fetched> {
  const read = documentReader(request);
  const faults = new MapProblems(request.map ?? {});
  const { result, ...run } = await runCommand(request, (output) =>
    collect(parseDocuments(output, request.map?.items), (printed) => {
      if ('value' in printed) faults.see(printed.value);
      return read(printed);
    }),
  );
  // What is wrong with all of them comes first: it is why single ones are.
  return { ...result, ...run, problems: [...faults.problems(), ...result.problems] };
}

type Reader = (printed: PrintedValue) => ReadDocument;

function documentReader({ map, fields }: FetchRequest): Reader {
  const mapped = map === undefined ? (value: unknown) => value : documentMapper(map);
  return (printed) => {
    const { index } = printed;
    if ('problem' in printed) return { problem: { index, id: null, detail: printed.problem, skipped: true } };
    const value = mapped(printed.value);
    if (fields === undefined) return readDocument(value, index);
    return readDocument(restrictTo(value, fields), index, 'nothing to read is left of it by `fields`');
  };
}

async function collect(
  values: AsyncIterable<PrintedValue>,
  read: Reader,
): Promise<Pick<Fetched, 'documents' | 'problems' | 'printed'>> {
  const documents = new Map<string, { readonly document: MemoryDocument; readonly index: number }>();
  const problems: DocumentProblem[] = [];
  const pace = pacer();
  let printed = 0;
  for await (const value of values) {
    printed++;
    const found = read(value);
    if ('problem' in found) problems.push(found.problem);
    else {
      const { document } = found;
      const former = documents.get(document.id);
      if (former !== undefined) {
        const detail = `document ${String(former.index)} has the same id; this one counts`;
        problems.push({ index: value.index, id: document.id, detail, skipped: false });
        documents.delete(document.id);
      }
      documents.set(document.id, { document, index: value.index });
    }
    await pace();
  }
  return { documents: [...documents.values()].map(({ document }) => document), problems, printed };
}
