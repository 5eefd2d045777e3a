// Plain JavaScript without dependencies: what is loaded here is most of the CPU time of a command that is answered.
const { getBuiltinModule } = process;

/** The commands that a running process may answer. They only read. */
const COMMANDS = ['search', 'get', 'list', 'status', 'fact recall', 'fact list', 'fact categories'];
const MAX_REQUEST_BYTES = 64 * 1024;
/** How long a process may take to accept a request. */
const ACCEPT_TIMEOUT_MS = 300;
/** How many processes may decline. Sockets without a process do not count. */
const MAX_PROCESSES = 4;
const MAX_SOCKETS = 200;
/** The command runs in this process where its output is longer. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const ANSWER_TIMEOUT_MS = 10_000;
const EXIT_ABORTED = 130;

/**
 * Lets a running `loci serve`, `mcp` or `watch` of this home answer the command, and prints the answer.
 * @returns the exit code; `null` if the command has to run in this process
 */
export async function askRunningProcess(home, argv) {
  if (process.env.LOCI_COMMAND_SOCKET === 'off' || !isAnswered(argv)) return null;
  const paths = socketsIn(home);
  if (paths.length === 0) return null;
  const request = requestLine(home, argv);
  if (Buffer.byteLength(request) > MAX_REQUEST_BYTES) return null;
  const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];
  const stop = () => process.exit(EXIT_ABORTED);
  for (const signal of stopSignals) process.on(signal, stop);
  try {
    let declined = 0;
    for (const path of paths) {
      const answer = await ask(path, request);
      if (answer === DEAD) continue;
      if (answer?.output) return print(answer.output) ? answer.exitCode : null;
      if (answer !== null && argv.includes('status')) process.stderr.write(settingsWarning(answer));
      if (++declined === MAX_PROCESSES) break;
    }
    return null;
  } finally {
    for (const signal of stopSignals) process.off(signal, stop);
  }
}

/** Commands that read files or standard input, or name another home, are not sent. */
function isAnswered(argv) {
  if (argv.some((word) => word === '-' || /^--(?:input|home)(?:=|$)/.test(word))) return false;
  const [first, second] = argv[0] === '--json' ? argv.slice(1) : argv;
  return COMMANDS.includes(first) || COMMANDS.includes(`${first} ${second}`);
}

/** The sockets in a folder that only this user can enter, in a home that nobody else can write to. */
function socketsIn(home) {
  const { lstatSync, readdirSync } = getBuiltinModule('node:fs');
  const folder = `${home}/run`;
  try {
    const found = lstatSync(folder, { throwIfNoEntry: false });
    const isPrivate = found?.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
    if (!isPrivate) return [];
    return readdirSync(folder)
      .filter((name) => name.endsWith('.sock'))
      .slice(0, MAX_SOCKETS)
      .map((name) => `${folder}/${name}`);
  } catch {
    return [];
  }
}

/** Everything that determines the output of a command. `same` has to be so in the other process, too. */
function requestLine(home, argv) {
  const { mtimeMs, size } = getBuiltinModule('node:fs').statSync(
    new URL('../dist/bundle/main.js', import.meta.url),
  );
  const { HOME = null, TZ = null, PATH = null } = process.env;
  const isSent = (name) => /^(?:LOCI_.*|NO_COLOR|FORCE_COLOR|TERM|TZ|HOME|PATH)$/.test(name);
  const same = { build: `${mtimeMs}:${size}`, node: process.version, home, HOME, TZ };
  const request = {
    argv,
    // `status` looks up the programs of sources.
    same: argv.includes('status') ? { ...same, PATH } : same,
    cwd: process.cwd(),
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => isSent(name))),
    terminals: [columnsOf('stdout', 1), columnsOf('stderr', 2)],
  };
  return `${JSON.stringify(request)}\n`;
}

/** The width of a terminal, 0 for one that does not know it; `null` for a file or a pipe. */
function columnsOf(stream, fd) {
  return getBuiltinModule('node:tty').isatty(fd) ? (process[stream].columns ?? 0) : null;
}

/** The answer of a socket whose process was killed. */
const DEAD = Symbol('dead');

/**
 * Returns the answer; what a process that declines says of its settings; `null` if it says nothing, or does not answer in time; `DEAD` if
 * there is no process.
 */
function ask(path, request) {
  return new Promise((resolve) => {
    const socket = getBuiltinModule('node:net').connect(path);
    const chunks = [];
    let bytes = 0;
    const end = (answer) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    let timer = setTimeout(end, ACCEPT_TIMEOUT_MS, null);
    const isDead = (code) => code === 'ECONNREFUSED' || code === 'ENOENT';
    socket.on('error', ({ code }) => end(chunks.length === 0 && isDead(code) ? DEAD : null));
    socket.on('data', (chunk) => {
      if (chunks.length === 0) {
        clearTimeout(timer);
        timer = setTimeout(end, ANSWER_TIMEOUT_MS, null);
      }
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) end(null);
    });
    socket.on('end', () => end(answerIn(Buffer.concat(chunks).toString())));
    socket.write(request);
  });
}

/** A process that serves this home does not use what the settings say now. The text may quote them. */
function settingsWarning({ problem, process: pid }) {
  return `loci: warning: process ${pid} serves this home with other settings: ${problem.replace(/\p{Cc}+/gu, ' ')}\n`;
}

/** The last of two lines, or the only one of a process that declines. A process that is killed leaves an incomplete one. */
function answerIn(text) {
  const [accepted, answer, rest] = text.split('\n');
  try {
    if (answer === '') {
      const { problem, process: pid } = JSON.parse(accepted);
      return typeof problem === 'string' && Number.isInteger(pid) ? { problem, process: pid } : null;
    }
    if (accepted !== '{"accepted":true}' || !answer || rest !== '') return null;
    const { exitCode, output } = JSON.parse(answer);
    const isOutput =
      Array.isArray(output) && output.every(([fd, text]) => fd > 0 && typeof text === 'string');
    return isOutput && Number.isInteger(exitCode) ? { exitCode, output } : null;
  } catch {
    return null;
  }
}

/** Writes texts to standard output and error. Returns whether they could be written. */
function print(output) {
  const { writeSync } = getBuiltinModule('node:fs');
  // A stream waits for a reader where a descriptor cannot. It is loaded only then.
  const streams = new Map();
  for (const [fd, text] of output) {
    let bytes = Buffer.from(text);
    try {
      while (bytes.length > 0 && !streams.has(fd)) bytes = bytes.subarray(writeSync(fd, bytes));
    } catch (error) {
      // A reader that stops early, as in `loci search x | head -1`, is not an error.
      if (error.code === 'EPIPE') continue;
      // The command reports other errors when it runs in this process.
      if (error.code !== 'EAGAIN') return false;
      const stream = fd === 1 ? process.stdout : process.stderr;
      streams.set(
        fd,
        stream.on('error', () => undefined),
      );
    }
    if (bytes.length > 0) streams.get(fd).write(bytes);
  }
  return true;
}
