import { describe, expect, it } from 'vitest';
import type { StartupEntryOutput, StartupTextOutput } from '../../../engine/startup/startup-fields.ts';
import { makeStyle } from '../format/style.ts';
import type { View } from './operation-command.ts';
import { startupInject, startupList, startupPreview, startupRemove, startupSet } from './startup.ts';

const view: View = { style: makeStyle(false), columns: 50, terminal: false, options: new Set<string>() };
const entry: StartupEntryOutput = {
  key: 'tone of voice',
  agent: 'mailer',
  priority: 2,
  reinforce: true,
  characters: 1200,
  content: 'Formal.\nNever \u001b[31mred; this goes on and on for more than a line.',
  updated_at: new Date().toISOString(),
};

describe('startup list, set and remove', () => {
  it('summarise an entry', () => {
    expect(startupSet.render({ entry, created: false, masked: [], too_long: null }, view)).toMatch(
      /^Changed tone of voice:\npriority +2\nagent +mailer\nreinforce +yes\ncharacters +1200\n$/,
    );
    const withNotices = { entry, created: false, masked: ['key'], too_long: 'it has 9 characters' };
    expect(startupSet.warnings?.(withNotices)).toEqual([
      expect.stringContaining('masked'),
      'tone of voice: it has 9 characters',
    ]);
  });

  it('name the next command', () => {
    expect(startupList.render({ entries: [], budgets: [] }, view)).toContain(
      '`loci startup set KEY CONTENT`',
    );
    expect(startupRemove.render({ removed: entry }, view)).toBe(
      'Removed tone of voice for mailer. `loci startup set "tone of voice" --agent mailer` restores it.\n',
    );
  });
});

describe('startup preview', () => {
  const output: StartupTextOutput = {
    text: 'You are Ada.\n\n\u001b[31mBe brief.',
    mode: 'digest',
    characters: 28,
    budget: 20_000,
    included: [
      { key: 'soul', agent: null, priority: 0, characters: 12, cut_from: null },
      { key: 'rules', agent: null, priority: 1, characters: 14, cut_from: 2000 },
    ],
    left_out: [
      {
        key: 'long',
        agent: null,
        priority: 2,
        why: 'it needs 30000 characters, and 19970 of 20000 are left',
        too_long: true,
      },
    ],
  };

  it('shows the text, the entries in it, and those that are left out and why', () => {
    expect(startupPreview.render(output, view).split('\n')).toEqual([
      'You are Ada.',
      '',
      '␛[31mBe brief.',
      '─'.repeat(50),
      'included',
      'priority  key    characters  cut from',
      '0         soul   12',
      '1         rules  14          2000',
      '',
      'left out',
      'priority  key   why',
      '2         long  it needs 30000 characters, and 19970 of 20000 are left',
      '',
      'mode          digest',
      'characters    28',
      'budget        20000',
      '',
    ]);
  });

  it('says so if there are no entries, or if nothing is injected now', () => {
    const nothing = { ...output, text: '', characters: 0, included: [] };
    expect(startupPreview.render(nothing, view)).toMatch(/^Nothing is injected\.\n─+\nleft out\n/);
    expect(startupPreview.render({ ...nothing, left_out: [] }, view)).toContain('loci startup set');
  });

  it('adds details for people, while inject prints the text alone', () => {
    expect(startupInject.render(output, view)).toBe(`${output.text}\n`);
    expect(startupInject.render(output, { ...view, terminal: true })).not.toContain('\u001b');
    expect(startupInject.render({ ...output, text: '' }, view)).toBe('');
    expect(startupInject.warnings?.(output)).toEqual([
      'rules is cut: 14 of 2000 characters fit',
      expect.stringMatching(/^long is left out: it needs/),
    ]);
    const notTooLong = output.left_out.map((entry) => ({ ...entry, too_long: false }));
    expect(startupInject.warnings?.({ ...output, included: [], left_out: notTooLong })).toEqual([]);
  });
});
