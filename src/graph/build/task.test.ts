import { describe, expect, it } from 'vitest';
import { taskIn } from './outline.ts';

describe('taskIn', () => {
  it.each([
    // Obsidian Tasks: only the due day is due, wherever it stands.
    ['renew visa ⏳ 2026-12-05 📅 2026-12-20', 'renew visa', '2026-12-20'],
    ['renew visa 📅 2026-12-20 🛫 2026-12-01 ⏳ 2026-12-05 ➕ 2026-11-01', 'renew visa', '2026-12-20'],
    ['📅2026-12-20 renew #home visa', 'renew #home visa', '2026-12-20'],
    ['renew 📆 2026-12-20 visa', 'renew visa', '2026-12-20'],
    ['renew visa 🗓️ 2026-12-20 #admin', 'renew visa #admin', '2026-12-20'],
    ['tune piano ⏳ 2026-12-06', 'tune piano', null],
    ['tune piano 🛫 2026-12-06', 'tune piano', null],
    ['water plants 🔺 🔁 every week on Monday 🏁 delete 📅 2026-12-20', 'water plants', '2026-12-20'],
    ['pay ⏫ rent 🔁 every month when done ⏳ 2026-12-01', 'pay rent', null],
    ['paint 🆔 ab1 ⛔ cd2,ef3 🔽 📅 2026-12-20', 'paint', '2026-12-20'],
    ['sent ✅ 2026-12-01 📅 2026-12-20', 'sent', '2026-12-20'],
    ['dropped ❌ 2026-12-01', 'dropped', null],
    ['linked 📅 [[2026-12-24]]', 'linked', '2026-12-24'],
    ['linked 📅 [[Daily/2026-12-24|Thursday]]', 'linked', '2026-12-24'],
    ['linked 📅 [Thursday](Daily/2026-12-24.md)', 'linked', '2026-12-24'],
    ['planned ⏳ [[2026-12-24]]', 'planned', null],
    // Dataview
    ['pay [due:: 2026-12-24] rent', 'pay rent', '2026-12-24'],
    ['pay rent (due:: 2026-12-24) (priority:: high) [repeat:: every month]', 'pay rent', '2026-12-24'],
    ['pay rent [due:: [[2026-12-24]]]', 'pay rent', '2026-12-24'],
    ['pay rent [due:: 2026-12-24T10:30]', 'pay rent', '2026-12-24'],
    ['pay rent [scheduled:: 2026-12-24] [start:: 2026-12-01]', 'pay rent', null],
    ['pay rent due:: 2026-12-24', 'pay rent', '2026-12-24'],
    // Kanban and Reminder
    ['board card @{2026-12-23} @@{14:00}', 'board card', '2026-12-23'],
    ['board card @[[2026-12-23]]', 'board card', '2026-12-23'],
    ['remind me (@2026-12-23 09:00)', 'remind me', '2026-12-23'],
    // Words
    ['call Ada due: 2026-12-23', 'call Ada', '2026-12-23'],
    ['call Ada by phone, due on 2026-12-23', 'call Ada by phone,', '2026-12-23'],
    ['Steuer fällig am 2026-12-23', 'Steuer', '2026-12-23'],
    ['报税 截止：2026-12-23', '报税', '2026-12-23'],
    // No such day, and texts that only look like fields.
    ['pay 📅 2026-02-30', 'pay', null],
    ['read [[2026-12-23]] again', 'read 2026-12-23 again', null],
    ['ask @[[Ada]] 📅 [[Meeting]]', 'ask @Ada 📅 Meeting', null],
    ['mail a@b.example [due](x)', 'mail a@b.example due', null],
    ['📅 2026-12-20', '📅 2026-12-20', '2026-12-20'],
  ])('reads %j', (text, title, due) => {
    expect(taskIn(`- [ ] ${text} ^b1`)).toEqual({ title, due, done: false, blockId: 'b1' });
  });

  it.each([
    ...[' ', '/', '>', '<', '!'].map((state) => [state, false] as const),
    ...['x', 'X', '-'].map((state) => [state, true] as const),
    ...['"', 'i', '', 'xx'].map((state) => [state, undefined] as const),
  ])('knows the state [%s]', (state, done) => {
    for (const mark of ['-', '*', '+', '1.', '2)', '> -', '\t-'])
      expect(taskIn(`${mark} [${state}] paint`)?.done, mark).toBe(done);
  });

  it('takes time in proportion to the length of a hostile line', () => {
    for (const part of ['📅 [[', '[due:: [[', '@{', '(@', '🔁 every a, ', '⛔ a,', '@[[x'])
      expect(taskIn(`- [ ] ${part.repeat(400)}`)?.due).toBeNull();
  });
});
