import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { LociError } from '../../core/errors.ts';
import { describeFileError, systemErrorCode } from '../../core/fs/file-errors.ts';
import { readRegularFile } from '../../core/fs/files.ts';
import type { Rule } from '../files/exclusion-rules.ts';
import { type Edn, parseEdn } from './edn.ts';

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
/** What Logseq, or a service that has the settings elsewhere (`.config.edn.icloud`), leaves beside them in their folder. */
const BESIDE_CONFIG = /config\.edn|^(?:bak|version-files|pages-metadata\.edn|custom\.css)$/i;

/**
 * The settings of the graph whose root a folder is; `null` for every other folder.
 * @throws LociError `unreadable` if a graph has none, or they cannot be read: without its rules, too many notes would be read
 */
export async function readLogseqSettings(vault: string, root: string): Promise<Settings | null> {
  const file = path.join(root, CONFIG);
  try {
    const bytes = await readIfThere(file);
    if (bytes === null) return null;
    if (typeof bytes === 'string')
      throw new SyntaxError(bytes === 'folder' ? 'it is a folder' : `it is ${bytes}`);
    return settingsIn(new TextDecoder().decode(bytes), file);
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : describeFileError(error);
    throw new LociError(
      'unreadable',
      `${vault} is not read, because it is not known what Logseq hides: ${file} cannot be read: ${why}`,
      {
        hint: 'Correct the file, fetch it from the cloud, or save the settings again in Logseq. A graph that hides nothing may have `{}` there.',
        cause: error,
      },
    );
  }
}

/**
 * The bytes of the settings, or what is in their place; `null` in a folder that is no graph.
 * @throws the error of the file system, also if a graph has no settings
 */
async function readIfThere(file: string): Promise<Awaited<ReturnType<typeof readRegularFile>> | null> {
  try {
    return await readRegularFile(file, MAX_CONFIG_BYTES);
  } catch (error) {
    if (!isNothingThere(error)) throw error;
    const isOfGraph = (await namesIn(path.dirname(file))).some((name) => BESIDE_CONFIG.test(name));
    if (isOfGraph) throw error;
    return null;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isNothingThere(error)) return [];
    throw error;
  }
}

function isNothingThere(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '');
}

/** @throws SyntaxError */
export function settingsIn(edn: string, file: string): Settings {
  const parsed = parseEdn(edn);
  if (parsed === null || typeof parsed === 'string' || !('get' in parsed))
    throw new SyntaxError(parsed === null ? 'it is empty' : 'it is not a map');
  const text = (key: string, or: string): string => {
    const value = parsed.get(key);
    return typeof value === 'string' && value !== '' ? value : or;
  };
  return {
    graph: {
      journals: text(':journals-directory', 'journals').replaceAll(/^\/+|\/+$/g, ''),
      titleFormat: text(':journal/page-title-format', 'MMM do, yyyy'),
      fileFormat: text(':journal/file-name-format', 'yyyy_MM_dd'),
      hasDottedNames: parsed.get(':file/name-format') !== ':triple-lowbar',
    },
    hidden: [...hiddenPaths(parsed.get(':hidden') ?? []), ...COPIES].flatMap((each) =>
      hiddenRule(each, file),
    ),
  };
}

/** @throws SyntaxError for what names no paths */
function hiddenPaths(hidden: Edn): readonly string[] {
  if (hidden === 'nil') return [];
  const paths = typeof hidden === 'string' ? [hidden] : hidden;
  const isPath = (each: Edn): each is string =>
    typeof each === 'string' && !/^(?::.*|true|false|nil)$/s.test(each);
  if ('get' in paths || !paths.every(isPath)) throw new SyntaxError(':hidden is not a list of paths');
  return paths;
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
