import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { parseJson } from '../../core/json.ts';

/** The name of a vault may be that of a path. */
const name = () => z.string().min(1).max(10_000);

const hostReader = z.strictObject({
  /** The namespace that the command reads and changes. */
  namespace: name(),
  /** Further namespaces that it reads. */
  shared: z.array(name()).max(16),
  /** The folders that the host program indexes in the namespace, in place of the vaults of the settings. */
  vaults: z.array(
    z.strictObject({
      name: name(),
      path: z.string(),
      include: z.array(z.string()).exactOptional(),
      pattern: z.string().exactOptional(),
    }),
  ),
});

/** The agent for which a host program runs a command. It has a namespace of its own and may read others. */
export type HostReader = z.infer<typeof hostReader>;

/** The variable with which a host program passes a `HostReader` to a command, as JSON. */
export const HOST_READER_VARIABLE = 'LOCI_HOST_READER';

/** @throws LociError `invalid_config` for a value that no host program has written */
export function hostReaderIn(env: NodeJS.ProcessEnv): HostReader | null {
  const text = env[HOST_READER_VARIABLE] ?? '';
  if (text === '') return null;
  const parsed = hostReader.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new LociError('invalid_config', `${HOST_READER_VARIABLE} is not what a host program passes`, {
    hint: 'Remove the variable.',
  });
}
