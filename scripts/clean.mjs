// Removes the last build, so that a file deleted from src/ does not live on in what is published.
import { rmSync } from 'node:fs';

rmSync(new URL('../dist/', import.meta.url), { recursive: true, force: true });
