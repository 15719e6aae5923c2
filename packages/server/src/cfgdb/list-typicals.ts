// What was generated, as JSON: types, their instances, and the objects of each.
import { type Made, withName } from './made-objects.ts';
import type { SeenConfiguration } from './seen-configuration.ts';
import { type SharedBytes, sharedBytes } from './shared-bytes.ts';

/** Made as text, so that every name is an ordinary one. */
export function listTypicals({ content, made }: Pick<SeenConfiguration, 'content' | 'made'>): SharedBytes {
  const texts: string[] = [];
  let last: Made | undefined;
  for (const each of made.all()) {
    const { type, instance, family, name } = each;
    const present = content[family].get(name);
    const state = present === undefined ? 'deleted' : present === withName(each.made, name) ? 'made' : 'changed';
    if (type !== last?.type) texts.push(`${last === undefined ? '{' : ']},'}"${type}":{${JSON.stringify(instance)}:[`);
    else texts.push(instance === last.instance ? ',' : `],${JSON.stringify(instance)}:[`);
    texts.push(JSON.stringify({ family, name, state }));
    last = each;
  }
  return sharedBytes([...texts, last === undefined ? '{}' : ']}}']);
}
