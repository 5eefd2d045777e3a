import path from 'node:path';
import { LociError } from '../../core/errors.ts';
import { describeFileError, systemErrorCode } from '../../core/fs/file-errors.ts';
import { readRegularFile } from '../../core/fs/files.ts';
import type { Rule } from '../files/exclusion-rules.ts';
import { parseEdn } from './edn.ts';

/** What the notes of a Logseq graph are read with. It can be sent to a thread. */
export interface LogseqGraph {
  /** The folder of the journals, below the root. */
  readonly journals: string;
  /** The format of the titles of journals: `MMM do, yyyy`. */
  readonly titleFormat: string;
  /** The format of their file names: `yyyy_MM_dd`. */
  readonly fileFormat: string;
  /** Whether a dot in the name of a file stands for `/`, as before the format `:triple-lowbar`. */
  readonly hasDottedNames: boolean;
}

interface Settings {
  readonly graph: LogseqGraph;
  /** What the graph hides, and the copies that Logseq keeps of pages. */
  readonly hidden: readonly Rule[];
}

const CONFIG = 'logseq/config.edn';
const MAX_CONFIG_BYTES = 1_000_000;
const COPIES = ['logseq/bak/', 'logseq/version-files/'];

/**
 * The settings of the graph whose root a folder is; `null` for every other folder.
 * @throws LociError `unreadable` if they cannot be read: without its rules, too many notes would be read
 */
export async function readLogseqSettings(vault: string, root: string): Promise<Settings | null> {
  const file = path.join(root, CONFIG);
  try {
    const bytes = await readRegularFile(file, MAX_CONFIG_BYTES);
    if (bytes === 'folder') return null;
    if (typeof bytes === 'string') throw new SyntaxError(`it is ${bytes}`);
    return settingsIn(new TextDecoder().decode(bytes), file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) return null;
    const why = error instanceof SyntaxError ? error.message : describeFileError(error);
    throw new LociError(
      'unreadable',
      `${vault} is not read, because it is not known what Logseq hides: ${file} cannot be read: ${why}`,
      { hint: 'Correct the file, or save the settings again in Logseq.', cause: error },
    );
  }
}

/** @throws SyntaxError */
export function settingsIn(edn: string, file: string): Settings {
  const parsed = parseEdn(edn) ?? new Map<string, never>();
  if (typeof parsed === 'string' || !('get' in parsed)) throw new SyntaxError('it is not a map');
  const text = (key: string, or: string): string => {
    const value = parsed.get(key);
    return typeof value === 'string' && value !== '' ? value : or;
  };
  const hidden = parsed.get(':hidden') ?? [];
  const paths = typeof hidden === 'string' || 'get' in hidden ? [] : hidden;
  return {
    graph: {
      journals: text(':journals-directory', 'journals').replaceAll(/^\/+|\/+$/g, ''),
      titleFormat: text(':journal/page-title-format', 'MMM do, yyyy'),
      fileFormat: text(':journal/file-name-format', 'yyyy_MM_dd'),
      hasDottedNames: parsed.get(':file/name-format') !== ':triple-lowbar',
    },
    hidden: [...paths, ...COPIES].flatMap((each) => (typeof each === 'string' ? hiddenRule(each, file) : [])),
  };
}

/** As in Logseq, the beginning of a path below the root. A pattern with `*`, which matches nothing there, is taken as it is meant. */
function hiddenRule(rule: string, from: string): Rule[] {
  const inRoot = rule.replace(/^\.?\/+/, '');
  if (inRoot === '' || inRoot.startsWith('../')) return [];
  const isGlob = /[*?]/.test(inRoot);
  return [
    { rule: isGlob ? `/${inRoot}` : inRoot, from, kind: isGlob ? 'glob' : 'prefix', folder: '', inside: '' },
  ];
}
