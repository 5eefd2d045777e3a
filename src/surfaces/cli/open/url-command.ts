/** The programs that open a URL with the program that is registered for it, without a shell. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  // `start` is a command of the shell, which would expand the percent signs.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

export function urlCommand(url: string): readonly string[] {
  return [...(OPENERS[process.platform] ?? ['xdg-open']), url];
}
