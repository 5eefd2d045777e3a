// npm runs `postpack` after it has packed Loci: says what to do next, also where the shell would not find the command afterwards.
import { delimiter, join } from 'node:path';

const {
  npm_package_name: name,
  npm_package_version: version,
  npm_config_global_prefix: prefix,
} = process.env;
const lines = ['', 'Install it with', '', `  npm install -g ./${name}-${version}.tgz`, ''];
if (prefix !== undefined) {
  const folder = process.platform === 'win32' ? prefix : join(prefix, 'bin');
  if (!(process.env.PATH ?? '').split(delimiter).includes(folder))
    lines.push(
      `npm puts the command \`loci\` into ${folder}, where your shell does not look for programs yet. So that it does:`,
      '',
      process.platform === 'win32'
        ? `  setx PATH "%PATH%;${folder}"`
        : `  export PATH="${folder}:$PATH"    # and the same line in ~/.profile`,
      '',
    );
}
console.error(lines.join('\n'));
