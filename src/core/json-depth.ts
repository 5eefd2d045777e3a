import type { Json } from './types.ts';

/** Whether objects and lists stand in each other more than so many levels deep; level by level, so that no nesting ends the stack. */
export function isDeeperThan(levels: number, value: Json): boolean {
  let level: Json[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true;
    const below = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? Object.values<Json>(each) : [],
    );
    // What is nested in itself comes again and again.
    level = [...new Set(below)];
  }
  return false;
}
