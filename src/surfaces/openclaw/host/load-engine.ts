import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { LociError } from '../../../core/errors.ts';
import type * as modules from '../engine/modules.ts';

/** In the bundle of the plugin, the path of the module `engine/modules.ts` in its package. */
declare const BUNDLED_ENGINE: string | undefined;

/**
 * The folder of the engine in the plugin that setup installs: a package, with the package of the model beside it. At each start,
 * OpenClaw copies and verifies all other folders of a plugin.
 */
export const ENGINE_FOLDER = 'engine/node_modules';
export const ENGINE_PACKAGE: string = `${ENGINE_FOLDER}/loci-memory`;

/**
 * Loads the part of the engine that loads the rest of it when it is needed.
 * @param folder that of the installed plugin
 * @throws LociError `unreadable` if the plugin was replaced since it was loaded
 */
export async function loadEngine(folder: string | undefined): Promise<typeof modules> {
  if (typeof BUNDLED_ENGINE === 'undefined') return import('../engine/modules.ts');
  return requireInstalled(folder ?? import.meta.dirname, BUNDLED_ENGINE);
}

/**
 * Loads a module of the installed package. The host copies each module that a copied module imports, but not those that are imported
 * by a module in its own place, so that this one must not be imported by the copy of the plugin.
 */
function requireInstalled(folder: string, module: string): typeof modules {
  // The package of the command line is a plugin too, and has everything in one place.
  const file = [join(folder, ENGINE_PACKAGE, module), join(folder, module)].find((path) => existsSync(path));
  if (file === undefined)
    throw new LociError('unreadable', `${join(folder, ENGINE_PACKAGE, module)} is missing`, {
      hint: 'The plugin was replaced or moved. Run `openclaw gateway restart`.',
    });
  return createRequire(file)(file) as typeof modules;
}
