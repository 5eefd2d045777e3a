import { configRemove } from '../../config/edit.ts';
import { LociError } from '../../core/errors.ts';
import type { Json } from '../../core/types.ts';
import type { OperationContext } from '../operation.ts';
import { patiently } from './patience.ts';

/**
 * Takes an entry out of a list of loci.yaml.
 * @param entry what people call it
 * @throws LociError `conflict` when the environment names the list
 */
export async function removeEntry(
  context: OperationContext,
  list: 'vaults' | 'sources',
  entry: string,
  isMeant: (each: Json) => boolean,
): Promise<void> {
  const origin = (await context.loadConfig()).origins.get(list) ?? '';
  if (origin.startsWith('env ')) {
    const variable = origin.slice('env '.length);
    throw new LociError('conflict', `the ${list} are those of ${variable}; ${entry} is still among them`, {
      hint: `Take ${entry} out of ${variable} first.`,
    });
  }
  await patiently(() => configRemove(list, isMeant, context), context.signal);
}
