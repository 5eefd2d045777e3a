import type { EmbedSwitchOutput } from '../../../engine/embedding/switch.ts';
import { oneLine } from '../../shared/escape-control.ts';

type Generation = EmbedSwitchOutput['to'];

/**
 * A model in words: `ollama bge-m3 (1024 dimensions)`.
 * @param other one that the same text names: the prefixes are shown if nothing else tells the two apart
 */
export function generationText(generation: Generation, other: Generation | null = null): string {
  const name = generationName(generation);
  if (other === null || generationName(other) !== name || prefixesText(other) === prefixesText(generation))
    return oneLine(name);
  return oneLine(`${name} with prefixes: ${prefixesText(generation)}`);
}

export function generationName({ provider, model, dimensions }: Generation): string {
  return `${provider} ${model} (${String(dimensions)} dimensions)`;
}

export function prefixesText({
  query_prefix: query,
  passage_prefix: passage,
}: Pick<Generation, 'passage_prefix' | 'query_prefix'>): string {
  if (query === '' && passage === '') return 'none';
  return `${JSON.stringify(query)} for queries, ${JSON.stringify(passage)} for passages`;
}
