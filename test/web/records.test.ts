import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { loci } from '../e2e/loci-command.ts';
import { fitsWindow, testSite } from './site.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20" onload="top.pwned=1"><script>top.pwned=2</script>
<image href="https://evil.example/in.png" width="9" height="9"/><rect width="40" height="20"/></svg>`;
const HOSTILE = `---
title: "Bill \u202efdp.exe"
cover: "<img src=x onerror=pwned=3>"
---
# <script>pwned=4</script> <img src="https://evil.example/a.png" onerror="pwned=5">

[js](javascript:pwned=6) [data](data:text/html,<script>pwned=7</script>) <javascript:pwned=8> [out](https://example.org/a)

[https://bank.example](https://ybank.example/x) [https://bank.example@ybank.example](https://ybank.example/y) https://bank.example/z

![track](https://evil.example/pixel.png) ![rel](//evil.example/b.png) ![data](data:image/png;base64,${PNG})

![[active.svg]] ![[dot.png]] ![[../outside.png]] ![](https:evil.example/c.png)

zero\u200bwidth, se\ufe01lected, join\u200ded, blank \u2800, 👩‍👩‍👧 ❤️ می\u200cخواهم, tag \u{e0041}, \u001b[31mred\u001b[0m <svg onload="pwned=9"></svg>

|${' wide |'.repeat(300)}
|${' --- |'.repeat(300)}
|${' cell |'.repeat(300)}
`;

const site = testSite({
  prepare: async (home) => {
    const vault = join(home, '..', 'hostile');
    const files = {
      'hostile.md': HOSTILE,
      'long.md': `${'long '.repeat(200_000)}\n`,
      'overrides.md': `Words${'\u202e'.repeat(70_000)} and${'\u202e\u202d'.repeat(10_000)}\n`,
      'pictures.md': `${'![[dot.png]]\n\n'.repeat(40)}${'text\n\n'.repeat(200)}![[active.svg]]\n`,
      'brackets.md': '['.repeat(100_000),
      'active.svg': SVG,
      'dot.png': Buffer.from(PNG, 'base64'),
      '../outside.png': Buffer.from(PNG, 'base64'),
    };
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(vault, path)), { recursive: true });
      writeFileSync(join(vault, path), content);
    }
    const run = (...args: string[]) => loci(args, { home });
    await run('index', vault);
    await run('write', '--title', 'Worktop', 'Oak, see [[Kitchen remodel]].');
    await run('pack', 'oak worktop');
  },
});

/** The number of a record. */
async function idOf(citation: string): Promise<number> {
  return (JSON.parse(await site.loci('get', citation, '--json')) as { id: number }).id;
}

async function written(title: string): Promise<string> {
  const output = await site.loci('write', '--title', title, 'A first text.', '--json');
  return `/record/${String((JSON.parse(output) as { id: number }).id)}`;
}

async function attributes(all: Locator, name: string): Promise<string[]> {
  const values = (await all.all()).map((each) => each.getAttribute(name));
  return (await Promise.all(values)).map(String);
}

describe('the page of a record', () => {
  it('shows text, picture, links, passages, backlinks and properties of a note', async () => {
    const page = await site.open('/record?citation=Home/Kitchen+remodel.md');
    const text = page.locator('.markdown');
    await text.getByRole('heading', { name: 'Oven' }).waitFor();
    await text.locator('img[src^="blob:"]').waitFor();
    await page.getByRole('heading', { name: 'Linked from' }).waitFor();
    await page.locator('.mentions').getByRole('link', { name: '2026-09-14' }).waitFor();
    await page.getByRole('button', { name: 'Passages' }).click();
    await page
      .locator('.passage', { hasText: /lines \d+–\d+/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Read' }).click();
    await text.getByRole('link', { name: 'Tiles' }).click();
    await page.waitForURL(/\/ui\/record\/\d+$/);
    await page.getByRole('heading', { name: 'Tiles', level: 1 }).waitFor();
  });

  it('shows callouts with the line of their title, or with their type', async () => {
    const text = ['> [!info] Info', '> One.', '', '> [!tip]', '> **Two**', '> more.'].join('\n');
    const output = await site.loci('write', '--title', 'Callouts', text, '--json');
    const page = await site.open(`/record/${String((JSON.parse(output) as { id: number }).id)}`);
    const callouts = page.locator('.markdown blockquote');
    await callouts.first().waitFor();
    expect((await callouts.allInnerTexts()).map((each) => each.split(/\s+/))).toEqual([
      ['Info', 'One.'],
      ['tip', 'Two', 'more.'],
    ]);
  });

  it('shows the lines that an address cites', async () => {
    const page = await site.open('/record?citation=Home/Kitchen+remodel.md%23Worktop');
    await page.locator('.cited', { hasText: 'Beech' }).first().waitFor();
  });

  it('runs nothing of a hostile note, asks nobody else for anything, and shows what is hidden', async () => {
    const page = await site.open(`/record/${String(await idOf('hostile.md'))}`);
    const text = page.locator('.markdown');
    await expect.poll(() => text.locator('img').count()).toBe(2);
    await text.locator('img').last().scrollIntoViewIfNeeded();
    await text.getByText('Not loaded: track, from evil.example').waitFor();
    expect((await attributes(text.locator('img'), 'src')).map((src) => src.slice(0, 5))).toEqual([
      'blob:',
      'blob:',
    ]);
    expect(await text.locator('script, iframe, svg, style, [onload], [onerror]').count()).toBe(0);
    const addresses = await attributes(text.locator('a[href]'), 'href');
    expect(addresses.filter((address) => !/^(?:https?:\/\/|\/ui\/)/.test(address))).toEqual([]);
    const out = text.getByRole('link', { name: 'out example.org' });
    expect(await out.getAttribute('rel')).toBe('noopener noreferrer');
    expect(await text.locator('a[href*="bank.example"]').allInnerTexts()).toEqual([
      'https://bank.example ybank.example',
      'https://bank.example@ybank.example ybank.example',
      'https://bank.example/z',
    ]);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Bill U+202Efdp.exe');
    expect(await text.locator('.hidden-character').allInnerTexts()).toEqual([
      'U+200B',
      'U+FE01',
      'U+200D',
      'U+2800',
      'U+E0041',
      'U+001B',
      'U+001B',
    ]);
    expect(await page.title()).not.toContain('\u202e');
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(await fitsWindow(page)).toBe(true);
  });

  it.each(['long.md', 'brackets.md'])('is there within seconds for %s', async (note) => {
    const page = await site.open(`/record/${String(await idOf(note))}`);
    await page
      .getByText(/^(?:long long|\[\[\[)/)
      .first()
      .waitFor({ timeout: 100_000 });
    expect(await fitsWindow(page)).toBe(true);
  });

  it('fetches a picture once, and only when it is near the window', async () => {
    const page = await site.open('/search');
    const targets: unknown[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/record/image')) targets.push(request.postDataJSON().target);
    });
    await page.goto(`${site.address}/ui/record/${String(await idOf('pictures.md'))}`);
    const pictures = page.locator('.markdown img');
    await pictures.nth(3).waitFor();
    await page.locator('.markdown .picture').nth(39).scrollIntoViewIfNeeded();
    await expect.poll(() => pictures.count()).toBe(40);
    expect(targets).toEqual(['dot.png']);
    await page.locator('.markdown .picture').last().scrollIntoViewIfNeeded();
    await expect.poll(() => pictures.count()).toBe(41);
    expect(targets).toEqual(['dot.png', 'active.svg']);
  });

  it('shows a character that is repeated as one, and many that are not', async () => {
    const page = await site.open(`/record/${String(await idOf('overrides.md'))}`);
    const hidden = page.locator('.markdown .hidden-character');
    await hidden.getByText('U+202E × 70,000').waitFor();
    expect(await hidden.count()).toBe(20_001);
  });

  it('changes a record, shows what was changed, and overwrites nobody unasked', async () => {
    const path = await written('Cabinets');
    const page = await site.open(path);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Text, in Markdown').fill('A second text.');
    await page.getByLabel('Tags, separated by commas').fill('#kitchen, wood');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.diff .added', { hasText: 'A second text.' }).waitFor();
    await page.getByRole('link', { name: '#wood' }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await site.loci('update', path.replace('/record/', ''), '--content', 'A text of somebody else.');
    await page.getByLabel('Text, in Markdown').fill('A third text.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('Somebody else changed this').waitFor();
    await page.getByRole('button', { name: 'Discard mine' }).click();
    await page.locator('.markdown', { hasText: 'A text of somebody else.' }).waitFor();
  });

  it('follows what others change meanwhile', async () => {
    const path = await written('Handles');
    const page = await site.open(path);
    await page.locator('.markdown', { hasText: 'A first text.' }).waitFor();
    await expect
      .poll(
        async () => {
          await site.loci(
            'update',
            path.replace('/record/', ''),
            '--content',
            `Brass, ${String(Date.now())}.`,
          );
          return page.locator('.markdown').innerText();
        },
        { timeout: 100_000, interval: 2000 },
      )
      .toContain('Brass');
  });

  it('deletes without a question, with a way back here, in the message and in the list', async () => {
    const path = await written('Short-lived');
    const page = await site.open(path);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Restore' }).waitFor();
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.goto(`${site.address}/ui/records?deleted=1`);
    const row = page.getByRole('row', { name: /Short-lived/ });
    await row.getByRole('button', { name: 'Restore' }).click();
    await row.waitFor({ state: 'detached' });
  });

  it('says in which texts for agents the record was', async () => {
    const { records } = JSON.parse(await site.loci('list', 'table', '--json', '-n', '500')) as {
      records: { id: number; title: string }[];
    };
    const page = await site.open(`/record/${String(records.find(({ title }) => title === 'Worktop')!.id)}`);
    await page.getByText('In 1 pack this week').waitFor();
    await page.getByRole('link', { name: 'Pack', exact: true }).waitFor();
  });

  it('says that there is no such record, and that the server does not answer', async () => {
    const page = await site.open('/record/999999');
    await page.getByRole('alert').getByText('999999').waitFor();
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.state').getByText('does not answer').waitFor();
    await page.context().setOffline(false);
  });
});

describe('the timeline', () => {
  it('has a time that can be chosen by dragging or in fields, and keeps it in the address', async () => {
    const page = await site.open('/records/timeline');
    await page.locator('.histogram canvas').waitFor();
    const bars = (await page.locator('.histogram .u-over').boundingBox())!;
    await page.mouse.move(bars.x + bars.width * 0.5, bars.y + 20);
    await page.mouse.down();
    await page.mouse.move(bars.x + bars.width - 2, bars.y + 20, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/from=\d{4}-\d\d-\d\d&until=\d{4}-\d\d-\d\d/);
    await page.getByLabel('From', { exact: true }).fill('2026-09-14');
    await page.getByLabel('Until', { exact: true }).fill('2026-09-14');
    await page.getByText(/^1 record$/).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sep 14, 2026' }).waitFor();
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('button', { name: /^#daily/ }).click();
    await page.waitForURL(/tag=daily/);
    await page.getByText(/^12 records$/).waitFor();
  });

  it('draws the newest bar, and one bar has the time that it stands for', async () => {
    const page = await site.open('/records/timeline');
    await page.locator('.histogram canvas').waitFor();
    /** For each column of pixels between the first and the last span, whether a bar is in it. */
    const columns = (): Promise<boolean[]> =>
      page.evaluate(`{
        const canvas = document.querySelector('.histogram canvas');
        const over = document.querySelector('.histogram .u-over').getBoundingClientRect();
        const all = canvas.getBoundingClientRect();
        const scale = canvas.width / all.width;
        const [left, bottom] = [over.left - all.left, over.bottom - all.top - 3].map((each) => Math.round(each * scale));
        const width = Math.round(over.width * scale);
        const { data } = canvas.getContext('2d').getImageData(left, bottom, width, 1);
        // The lines of the grid are grey.
        Array.from({ length: width }, (_, x) => {
          const color = data.slice(4 * x, 4 * x + 3);
          return data[4 * x + 3] > 0 && Math.max(...color) - Math.min(...color) > 40;
        });
      }`);
    const { spans, from, until } = JSON.parse(await site.loci('list', 'histogram', '--json')) as {
      spans: { from: string; until: string }[];
      from: string;
      until: string;
    };
    const whole = await columns();
    const at = (time: string): number =>
      Math.floor(
        (whole.length * (Date.parse(time) - Date.parse(from))) / (Date.parse(until) - Date.parse(from)),
      );
    expect(spans.length).toBeGreaterThan(1);
    for (const span of [spans[0]!, spans.at(-1)!])
      expect(whole.slice(at(span.from), at(span.until)), span.from).toContain(true);
    await page.goto(`${site.address}/ui/records/timeline?tag=ada`);
    await page.locator('.histogram canvas').waitFor();
    const bars = (await page.locator('.histogram .u-over').boundingBox())!;
    await page.mouse.move(bars.x + 2, bars.y + 20);
    await page.mouse.down();
    await page.mouse.move(bars.x + bars.width - 2, bars.y + 20, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/from=(\d{4}-\d\d-\d\d)&until=\1$/);
    expect(await columns()).toContain(true);
  });

  it('says that nothing passes the filters, and removes them', async () => {
    const page = await site.open('/records/timeline?until=1999-01-01');
    await page.getByText('No record passes these filters').waitFor();
    await page.getByRole('link', { name: 'Remove the filters' }).click();
    await page.locator('.days a').first().waitFor();
  });
});

describe('the table of records', () => {
  it('is sorted on the server, page by page', async () => {
    const page = await site.open('/records');
    await page.getByRole('button', { name: 'Title' }).click();
    await page.waitForURL(/sort=title&order=ascending/);
    const titles = page.locator('.records tbody .title a');
    await expect.poll(() => titles.first().innerText()).toMatch(/^2026-/);
    expect(await titles.count()).toBe(50);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => titles.count()).toBeGreaterThan(60);
    const all = await titles.allInnerTexts();
    expect(new Set(all).size).toBeGreaterThan(55);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('button', { name: /^home \d/ }).click();
    await page.waitForURL(/project=home/);
    await page.getByText('13 records', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Timeline' }).click();
    await page.waitForURL(/\/records\/timeline\?project=home$/);
    await page.locator('.days a').first().waitFor();
    await page.getByText('13 records', { exact: true }).waitFor();
  });
});
