import { describe, expect, it } from 'vitest';
import { editorCommand, editorOf, mayBeSetByNpm, needsTerminal } from './editor-command.ts';

const FILE = '/vault/Kitchen remodel.md';

describe('the command of an editor', () => {
  it.each([
    ['vim', ['vim', '+24', FILE]],
    ['nvim -R', ['nvim', '-R', '+24', FILE]],
    ['/usr/bin/emacsclient -t', ['/usr/bin/emacsclient', '-t', '+24', FILE]],
    ['emacs-29.1', ['emacs-29.1', '+24', FILE]],
    ['code --wait', ['code', '--wait', '--goto', `${FILE}:24`]],
    ['codium', ['codium', '--goto', `${FILE}:24`]],
    ['subl -w', ['subl', '-w', `${FILE}:24`]],
    ['"/Applications/My Vim/bin/vim" -n', ['/Applications/My Vim/bin/vim', '-n', '+24', FILE]],
    ['ed', ['ed', FILE]],
  ])('%s has the line in the form that the editor takes, or none', (editor, argv) => {
    expect(editorCommand(editor, FILE, 24)).toEqual(argv);
    const words = argv.filter((word) => !/^\+24$|^--goto$|:24$|\.md$/.test(word));
    expect(editorCommand(editor, FILE, null)).toEqual([...words, FILE]);
  });

  it('never runs a shell', () => {
    for (const editor of ['vim; rm -rf x', 'vim $(id)', 'vim | cat', 'vim "'])
      expect(() => editorCommand(editor, FILE, null)).toThrow(/^the editor .* needs a shell: /);
  });

  it('is known to need a terminal', () => {
    expect(['vim', '/usr/bin/nvim -R', 'nano'].map(needsTerminal)).toEqual([true, true, true]);
    expect(['code --wait', 'gedit', 'emacsclient', 'mine'].map(needsTerminal)).toEqual(
      Array.from({ length: 4 }, () => false),
    );
  });

  it('is not the one of the user where npm has set it', () => {
    const npm = { npm_config_user_agent: 'npm/11.0.0 node/v24.0.0' };
    expect(mayBeSetByNpm({ ...npm, EDITOR: 'vi' })).toBe(true);
    expect(mayBeSetByNpm({ ...npm, EDITOR: 'vim' })).toBe(false);
    expect(mayBeSetByNpm({ ...npm, EDITOR: 'vi', VISUAL: 'code' })).toBe(false);
    expect(mayBeSetByNpm({ EDITOR: 'vi' })).toBe(false);
  });

  it('is that of $VISUAL, else of $EDITOR', () => {
    expect(editorOf({ VISUAL: 'code', EDITOR: 'vi' })).toBe('code');
    expect(editorOf({ VISUAL: ' ', EDITOR: 'vi' })).toBe('vi');
    expect(editorOf({ EDITOR: '' })).toBe(null);
  });
});
