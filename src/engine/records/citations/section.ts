import { LociError } from '../../../core/errors.ts';
import type { LociRecord } from '../../../core/types.ts';
import type { EngineContext } from '../../context.ts';

/**
 * The lines of a record below a heading, with the heading itself, or of a block (`^id`).
 * @param name what the caller calls the record
 * @throws LociError `not_found` with the headings or blocks that the record has
 */
export async function sectionLines(
  { thread }: EngineContext,
  { content }: LociRecord,
  heading: string,
  name: string,
): Promise<{ readonly from: number; readonly to: number }> {
  const { FIND_SECTION } = await import('./find-section.ts');
  const found = await thread.run(FIND_SECTION, [content, heading], { size: content.length });
  if ('from' in found) return found;
  const { names, count } = found;
  const kind = heading.startsWith('^') ? 'block' : 'heading';
  const listed = names.map((each) => JSON.stringify(each));
  if (count > listed.length) listed.push(`${String(count - listed.length)} more`);
  throw new LociError(
    'not_found',
    `there is no ${kind} ${JSON.stringify(heading.slice(0, 200))} in ${JSON.stringify(name.slice(0, 200))}`,
    {
      hint: names.length === 0 ? `The text has no ${kind}s.` : `Its ${kind}s are ${listed.join(', ')}.`,
    },
  );
}
