import { readFileSync } from 'node:fs';
import { LociError } from './errors.ts';

/**
 * The secret at the place that a setting names: `env:NAME` is a variable, `file:/path` a file. Anything else is the secret itself.
 * @param setting its path, for messages
 * @param variable the variable of the setting, which may have the secret itself
 * @throws LociError `invalid_config` that names the place, and never a secret
 */
export function secretAt(
  reference: string,
  setting: string,
  variable: string,
): { readonly value: string; readonly place: string } {
  const end = reference.indexOf(':');
  const [kind, place] = [reference.slice(0, end), reference.slice(end + 1)];
  if (kind === 'env') {
    const value = process.env[place]?.trim() ?? '';
    if (value !== '') return { value, place };
    throw new LociError('invalid_config', `the variable ${place}, which ${setting} names, is not set`);
  }
  if (kind !== 'file') return { value: reference.trim(), place: variable };
  try {
    return { value: readFileSync(place, 'utf8').trim(), place };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new LociError('invalid_config', `${place}, which ${setting} names, cannot be read: ${code}`);
  }
}
