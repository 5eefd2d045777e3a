/** What every program needs to find its way: its files, its user, its language and its time. */
const ALWAYS = /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z_]+|TZ|TMPDIR)$/;

/** What of an environment a command may see: what every program needs, and the names that its owner allowed. */
export function commandEnvironment(env: NodeJS.ProcessEnv, allowed: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) => value !== undefined && (ALWAYS.test(name) || allowed.includes(name)),
    ),
  );
}
