/** What every program needs to find its way: its files, its user, its language and its time. */
const ALWAYS = /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z_]+|TZ|TMPDIR)$/;

/** A program of Python writes beside its modules what it made of them: of a skill, that would be a change that asks for approval. */
const LEAVES_NO_TRACE = { PYTHONDONTWRITEBYTECODE: '1' } as const;

/** What of an environment a command may see: what every program needs, and the names that its owner allowed. */
export function commandEnvironment(env: NodeJS.ProcessEnv, allowed: readonly string[]): NodeJS.ProcessEnv {
  const seen = Object.entries(env).filter(
    ([name, value]) => value !== undefined && (ALWAYS.test(name) || allowed.includes(name)),
  );
  return { ...LEAVES_NO_TRACE, ...Object.fromEntries(seen) };
}
