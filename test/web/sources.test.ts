import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testSite } from './site.ts';

/** A name with an override of the direction, and markup. */
const HOSTILE = '<img src=x onerror=alert(1)> \u202Eevil';

const COMMANDS = {
  'tasks.sh': `echo '[{"id":"a","text":"Buy tile samples"},{"id":"b","text":7}]'`,
  'moving.sh': `echo '[{"id":"a","text":"Boxes"}]'`,
  'mail.sh': `echo 'connection refused ${HOSTILE}' >&2; exit 3`,
};

let home = '';
const script = (name: string, text: string): void => {
  const path = join(home, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
};

const site = testSite({
  settings: {
    sources: [
      { id: 'tasks', name: 'Tasks', command: './tasks.sh', env: ['TODO_TOKEN'] },
      { id: 'moving', name: 'Moving', command: './moving.sh' },
      { id: 'mail', name: HOSTILE, command: './mail.sh' },
    ],
  },
  prepare: async (folder) => {
    home = folder;
    for (const [name, text] of Object.entries(COMMANDS)) script(name, text);
    await site.loci('sources', 'approve', 'moving', 'mail');
    script('moving.sh', `echo '[{"id":"a","text":"Boxes and more"}]'`);
  },
});

describe('the page of sources', () => {
  it('shows what would run, approves exactly that, tries it, and reads it', async () => {
    const page = await site.open('/sources');
    const card = page.getByRole('listitem').filter({ hasText: 'Tasks' });
    await card.getByText('Waits for your approval').waitFor();
    await card.getByRole('link', { name: 'Review and approve' }).click();
    await page.getByText('./tasks.sh', { exact: true }).waitFor();
    await page.getByText('PATH, HOME and similar, TODO_TOKEN').waitFor();
    await page.getByText('30 s', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Approve exactly this' }).click();
    await page.getByText('Tasks may run now.').waitFor();
    await page.getByRole('button', { name: 'Try it once' }).click();
    await page.getByText('1 usable of 2 printed').waitFor();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('Up to date').waitFor();
    await page.getByText('The last runs as a table').click();
    await page.getByRole('cell', { name: 'succeeded' }).first().waitFor();
    await page.getByText('document 2 (b): text should be text').first().waitFor();
  });

  it('shows what changed since the approval, and refuses to approve what has changed meanwhile', async () => {
    const page = await site.open('/sources/moving');
    const changed = page.getByRole('listitem').filter({ hasText: 'moving.sh' });
    await changed.first().waitFor();
    expect(await changed.filter({ hasText: 'removed' }).count()).toBe(1);
    expect(await changed.filter({ hasText: 'added' }).count()).toBe(1);
    script('moving.sh', 'echo []');
    await page.getByRole('button', { name: 'Approve exactly this' }).click();
    await page.getByRole('alert').getByText('moving has changed since its fingerprint was shown').waitFor();
    await page.getByText('Changed, waits for your approval').waitFor();
  });

  it('pauses a source and undoes that, and shows the error of one that fails as text', async () => {
    const page = await site.open('/sources');
    const vault = page.getByRole('listitem').filter({ hasText: 'folder of notes' });
    await vault.getByRole('button', { name: 'Pause' }).click();
    await vault.getByText('Paused').waitFor();
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await vault.getByText('Up to date').waitFor();
    await vault.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText(/0 added, 0 changed, 0 removed, \d+ unchanged/).waitFor();
    const failing = page.getByRole('listitem').filter({ hasText: 'Failing' });
    await failing.getByText('exit code 3: connection refused <img src=x').waitFor();
    expect(await failing.locator('.hidden-character').first().textContent()).toBe('U+202E');
    await failing.getByRole('img', { name: /Last \d+ runs?: \d+ failed/ }).waitFor();
  });

  it('asks before it removes a source', async () => {
    const page = await site.open('/sources/mail');
    await page.getByRole('button', { name: 'Remove …' }).click();
    await page.getByRole('dialog').getByText('taken out of loci.yaml').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('heading', { name: 'Why it fails' }).waitFor();
  });

  it('says that there is no such source', async () => {
    const page = await site.open('/sources/no%20such');
    await page.getByRole('alert').getByText('no source is called "no such"').waitFor();
  });
});
