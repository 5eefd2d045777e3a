// The plugin is a part of the package around this folder.
export { default } from '../../dist/bundle/openclaw-corpus.js';
