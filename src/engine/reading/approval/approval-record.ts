import { z } from 'zod';
import { parseJson } from '../../../core/json.ts';
import type { SourceState } from '../../../store/admin-model.ts';

/** Increases when the fingerprint covers something else, so that every command needs a new approval. */
export const FINGERPRINT_VERSION = 2;

const details = z.object({
  version: z.literal(FINGERPRINT_VERSION),
  /** As one could type it, with its secrets masked. */
  command: z.string(),
  program: z.string().nullable(),
  cwd: z.string(),
  /** The real path of `cwd`. */
  realCwd: z.string(),
  /** Names of variables. */
  env: z.array(z.string()).readonly(),
  /** `null` when there are too many to record. */
  files: z
    .array(z.object({ path: z.string(), state: z.string() }))
    .readonly()
    .nullable(),
});

/** The details of a command when it is approved, by which later changes can be named. */
export type ApprovalDetails = Readonly<z.infer<typeof details>>;

/** The approval that the state of a source holds. */
export interface RecordedApproval {
  /** Empty when `details` is `null`: such a record approves nothing. */
  readonly fingerprint: string;
  /** `null` for a record that is damaged, or that another version of Loci wrote. */
  readonly details: ApprovalDetails | null;
}

const UNREADABLE: RecordedApproval = { fingerprint: '', details: null };
const MAX_RECORDED_FILES = 200;
/** Characters of a hash that are recorded. They are enough to tell two states of a file apart. */
const RECORDED_HASH_LENGTH = 16;

/** The text that the store keeps: the fingerprint, then the details as JSON. */
export function serializeApproval(fingerprint: string, approved: ApprovalDetails): string {
  const files = approved.files?.map(({ path, state }) => ({ path, state: withShortHash(state) })) ?? [];
  return `${fingerprint} ${JSON.stringify({ ...approved, files: files.length > MAX_RECORDED_FILES ? null : files })}`;
}

/** `null` when the source was never approved. */
export function parseApproval(
  state: Pick<SourceState, 'approval'> | null | undefined,
): RecordedApproval | null {
  const approval = state?.approval ?? null;
  if (approval === null) return null;
  const [fingerprint = ''] = approval.split(' ', 1);
  const parsed = details.safeParse(parseJson(approval.slice(fingerprint.length + 1)));
  return parsed.success ? { fingerprint, details: parsed.data } : UNREADABLE;
}

/** The recorded details of the approval that differ now, as the lines of a patch: `- file run.sh 1a2b…`. At least one line. */
export function changesSince({ details: before }: RecordedApproval, now: ApprovalDetails): string[] {
  if (before === null) return ['the recorded approval is damaged, or of another version of Loci'];
  const hasFiles = before.files !== null && now.files !== null && now.files.length <= MAX_RECORDED_FILES;
  const [was, is] = [detailLines(before, hasFiles), detailLines(now, hasFiles)];
  const changes = [
    ...was.filter((line) => !is.includes(line)).map((line) => `- ${line}`),
    ...is.filter((line) => !was.includes(line)).map((line) => `+ ${line}`),
  ];
  return changes.length === 0
    ? [`what is not recorded: a masked secret, or one of more than ${String(MAX_RECORDED_FILES)} files`]
    : changes;
}

function detailLines(
  { command, program, cwd, realCwd, env, files }: ApprovalDetails,
  hasFiles: boolean,
): string[] {
  return [
    `command ${command}`,
    `program ${program ?? 'not found'}`,
    `folder ${cwd}${realCwd === cwd ? '' : ` → ${realCwd}`}`,
    ...env.map((name) => `variable ${name}`),
    ...(hasFiles ? (files ?? []).map(({ path, state }) => `file ${path} ${withShortHash(state)}`) : []),
  ];
}

/** The state of a watched file with the beginning of its hash. Keeps the target of a link, which follows the hash. */
function withShortHash(state: string): string {
  return state.replace(/^[0-9a-f]{64}/, (hash) => hash.slice(0, RECORDED_HASH_LENGTH));
}
