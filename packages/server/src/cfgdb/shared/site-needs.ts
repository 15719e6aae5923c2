// What a node must have of its own to run what is rendered.
import { type ConfiguredSecrets, secretFamilies } from '../configured-secrets.ts';
import type { Content } from '../content.ts';

export interface SiteNeeds {
  /** Connectors and providers with a secret that no key of this node opens, such as `connector plc`. */
  readonly unopened: readonly string[];
}

export function siteNeeds(content: Content, secrets: ConfiguredSecrets): SiteNeeds {
  const unopened: string[] = [];
  for (const family of secretFamilies) {
    for (const [name, text] of content[family]) {
      if (secrets.needs(family, text).unopened.length > 0) unopened.push(`${family.slice(0, -1)} ${name}`);
    }
  }
  return { unopened };
}
