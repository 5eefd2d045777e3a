import { isDeepStrictEqual } from 'node:util';
import { UNDO_PREFIX } from '../../core/caller.ts';
import { LociError } from '../../core/errors.ts';
import { uuidv7 } from '../../core/ids.ts';
import type { LociRecord } from '../../core/types.ts';
import { type UnseenChange, unseenItem, unseenRemoval } from '../../store/items/kinds.ts';
import type { ItemChange } from '../../store/item-model.ts';
import type { RecordImport } from '../../store/model.ts';
import { assertWritesEnabled } from '../access/permission.ts';
import { auditDraft, auditedFields, diffOf } from '../audit/audit.ts';
import type { EngineContext } from '../context.ts';
import { chunkingOf, vectorsToFill } from '../embedding/models.ts';
import { embedWritten } from '../records/write.ts';
import { expire, schedulePurge } from '../shared/retention.ts';
import type { UndoOutput, UndoRequest } from './inbox-fields.ts';
import { planUndo, undoneBy, UNDOES, type UndoPlan, logEntries, recordChanges } from './plan-undo.ts';
import { chosenChanges, withLater } from './inbox.ts';

/** Records that one transaction changes. */
const RECORDS_AT_ONCE = 100;
const MAX_LISTED = 100;

/**
 * Undoes changes of agents: what they wrote is deleted, what they changed is as before, and what they deleted is there again. All
 * changes of a record are undone in one transaction, which also takes them out of the inbox. A change that cannot be undone stays
 * there: one that somebody has changed again, or whose record is gone.
 * @throws LociError `invalid_input`, `not_found`, `writes_disabled`
 */
export async function undoChanges(context: EngineContext, request: UndoRequest): Promise<UndoOutput> {
  assertWritesEnabled(context);
  await expire(context);
  const wanted = await wantedChanges(context, request);
  const id = uuidv7(context.now());
  const undoing = new Undoing(context.as({ ...context.caller, session: undoSession(id), isReviewed: true }));
  // The last change first: a key that two facts had one after the other is free again when the first one comes back.
  const bySubject = [...Map.groupBy(wanted, ({ subject }) => subject).values()];
  for (let i = 0; i < bySubject.length; i += RECORDS_AT_ONCE)
    await undoing.undo(bySubject.slice(i, i + RECORDS_AT_ONCE));
  schedulePurge(context);
  return { undo: undoing.done.undone > 0 ? id : null, ...undoing.done };
}

function undoSession(id: string): string {
  return `${UNDO_PREFIX}${id}`;
}

/** A change to undo: the number of its entry, and what it is about. */
type Wanted = Pick<UnseenChange, 'entry' | 'subject'>;

/** The last one first. */
async function wantedChanges(context: EngineContext, { undo, ...request }: UndoRequest): Promise<Wanted[]> {
  if (undo === undefined) {
    const { chosen, unseen } = await chosenChanges(context, request);
    return request.changes === undefined ? [...chosen] : withLater(chosen, unseen);
  }
  if (Object.keys(request).length > 0)
    throw new LociError('invalid_input', 'an undo is taken back as a whole', { hint: 'Give `undo` alone.' });
  const entries = await logEntries(context, { session: undoSession(undo) });
  if (entries.length > 0) return entries.map(({ seq, subject }) => ({ entry: seq, subject }));
  throw new LociError('not_found', `there is no undo ${undo}`, { hint: 'The answer of an undo has its id.' });
}

/** What is done to one record. */
interface Planned extends UndoPlan {
  readonly record: LociRecord;
}

/** Undoes changes of some records at once, and counts what was done. */
class Undoing {
  readonly #context: EngineContext;
  readonly done: Pick<UndoOutput, 'undone' | 'records' | 'refused' | 'reasons'> = {
    undone: 0,
    records: [],
    refused: 0,
    reasons: [],
  };

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** @param wanted the changes of each record */
  async undo(wanted: readonly (readonly Wanted[])[]): Promise<void> {
    const about = await recordChanges(
      this.#context,
      wanted.map(([first]) => first!.subject),
    );
    const plans: Planned[] = [];
    for (const changes of wanted) {
      const [{ subject }] = changes as [Wanted];
      const { record, entries = [] } = about.get(subject ?? '') ?? {};
      const isRecord = subject !== null && about.has(subject);
      if (record === undefined)
        this.#refuse(changes, null, isRecord ? GONE : `${subject ?? 'this change'} is no record`);
      else {
        const numbers = new Set(changes.map(({ entry }) => entry));
        plans.push({ record, ...planUndo(record, entries, numbers, this.#context.now()) });
      }
    }
    try {
      await this.#commit(plans);
    } catch (error) {
      if (!(error instanceof LociError) || !['conflict', 'not_found'].includes(error.code)) throw error;
      // A record was changed meanwhile, or a fact has the key of another one. The others are undone one by one.
      if (plans.length > 1) for (const { record } of plans) await this.undo([changesOf(wanted, record)]);
      else for (const { record } of plans) this.#refuse(changesOf(wanted, record), record, error.message);
    }
  }

  async #commit(plans: readonly Planned[]): Promise<void> {
    const context = this.#context;
    const undoing = plans.filter(isUndoing);
    const chunking = await chunkingOf(context);
    const vectors = await vectorsToFill(context);
    const imports: RecordImport[] = [];
    for (const { record, after } of undoing.filter(isChanged)) {
      const expected = { updatedAt: record.updatedAt, deletedAt: record.deletedAt };
      const { namespace: _namespace, id: _id, deletedAt, ...draft } = after;
      const passages = deletedAt === null ? await chunking.cut(draft) : [];
      imports.push({ replaces: record.id, expected, preferredId: null, draft, deletedAt, passages });
    }
    const audit = undoing.map(({ record, after, undone }) =>
      auditDraft(context, actionOf(record, after), record.uuid, {
        ...diffOf(record, after),
        [UNDOES]: undone.map(({ seq }) => seq),
      }),
    );
    const items = await this.#itemsOf(plans);
    await context.store.records.commit(context.namespace, {
      imports,
      chunking: chunking.signature,
      audit,
      items,
    });
    for (const plan of plans) this.#count(plan);
    for (const { deletedAt, draft, passages } of imports)
      if (deletedAt === null) await embedWritten(context, vectors, draft, passages);
  }

  /** What is undone leaves the inbox. When an undo is taken back, what it had undone is there again. */
  async #itemsOf(plans: readonly Planned[]): Promise<ItemChange[]> {
    const undone = plans.flatMap((plan) => plan.undone);
    const again = undone.flatMap(undoneBy);
    const entries = again.length === 0 ? [] : await logEntries(this.#context, { entries: again });
    return [
      ...undone.map(({ seq }) => unseenRemoval(seq)),
      ...entries
        .filter(({ session = '' }) => !session.startsWith(UNDO_PREFIX))
        .map((entry) => ({ put: unseenItem(entry) })),
    ];
  }

  #count(plan: Planned): void {
    const { record, undone, refused } = plan;
    this.done.undone += undone.length;
    if (isUndoing(plan) && this.done.records.length < MAX_LISTED) {
      const did = isChanged(plan) ? DID[actionOf(record, plan.after)] : 'nothing';
      this.done.records.push({ id: record.id, title: record.title, did });
    }
    for (const { entry, why } of refused) this.#refuse([{ entry: entry.seq }], record, why);
  }

  #refuse(changes: readonly Pick<Wanted, 'entry'>[], record: LociRecord | null, why: string): void {
    this.done.refused += changes.length;
    const about = { record: record?.id ?? null, title: record?.title ?? '', why };
    const reasons = changes.map(({ entry }) => ({ change: entry, ...about }));
    this.done.reasons.push(...reasons.slice(0, MAX_LISTED - this.done.reasons.length));
  }
}

const GONE = 'the record is gone';

function changesOf(wanted: readonly (readonly Wanted[])[], { uuid }: LociRecord): readonly Wanted[] {
  return wanted.find(([first]) => first?.subject === uuid) ?? [];
}

const DID = { delete: 'deleted', undelete: 'restored', update: 'changed-back' } as const;

function actionOf(record: LociRecord, after: LociRecord): keyof typeof DID {
  if (after.deletedAt !== null && record.deletedAt === null) return 'delete';
  return after.deletedAt === null && record.deletedAt !== null ? 'undelete' : 'update';
}

type UndoingPlan = Planned & { readonly after: LociRecord };

function isUndoing(plan: Planned): plan is UndoingPlan {
  return plan.after !== null;
}

/** Changes that add up to none leave the record as it is. */
function isChanged({ record, after }: UndoingPlan): boolean {
  const isSame =
    record.contentHash === after.contentHash &&
    isDeepStrictEqual(auditedFields(record), auditedFields(after));
  return !isSame || (record.deletedAt === null) !== (after.deletedAt === null);
}
