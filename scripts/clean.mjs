// Removes the last build, so that the package contains no file that was deleted from src/.
import { rmSync } from 'node:fs';

rmSync(new URL('../dist/', import.meta.url), { recursive: true, force: true });
