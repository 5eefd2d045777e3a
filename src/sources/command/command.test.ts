import { describe, expect, it } from 'vitest';
import { commandEnvironment } from './command.ts';

describe('the environment of a command', () => {
  it('contains only the standard variables and those of `env`', () => {
    const env = {
      PATH: '/bin',
      HOME: '/home/ann',
      USER: 'ann',
      LOGNAME: 'ann',
      LANG: 'de_DE.UTF-8',
      LC_ALL: 'C',
      LC_TIME: 'C',
      TZ: 'Europe/Berlin',
      TMPDIR: '/tmp',
      NODE_OPTIONS: '--inspect',
      LOCI_TOKEN: 'secret',
      AWS_SECRET_ACCESS_KEY: 'secret',
      TODO_FILE: 'todo.txt',
      PATHS: 'x',
      MY_HOME: 'x',
      lc_all: 'x',
      GONE: undefined,
    };
    expect(commandEnvironment(env, [])).toEqual({
      PATH: '/bin',
      HOME: '/home/ann',
      USER: 'ann',
      LOGNAME: 'ann',
      LANG: 'de_DE.UTF-8',
      LC_ALL: 'C',
      LC_TIME: 'C',
      TZ: 'Europe/Berlin',
      TMPDIR: '/tmp',
      PYTHONDONTWRITEBYTECODE: '1',
    });
    expect(Object.keys(commandEnvironment(env, ['TODO_FILE', 'LOCI_TOKEN', 'GONE', 'ABSENT']))).toEqual(
      expect.arrayContaining(['TODO_FILE', 'LOCI_TOKEN']),
    );
    expect(commandEnvironment(env, ['GONE', 'ABSENT'])).not.toHaveProperty('GONE');
    const overridden = { ...env, PYTHONDONTWRITEBYTECODE: '' };
    expect(commandEnvironment(overridden, ['PYTHONDONTWRITEBYTECODE'])).toHaveProperty(
      'PYTHONDONTWRITEBYTECODE',
      '',
    );
  });
});
