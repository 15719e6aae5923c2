// What a node must have of its own to run what is rendered.
import { parseJson } from '@telltale/schema';
import type { Role } from '../../secrets/index.ts';
import { type ConfiguredSecrets, secretFamilies } from '../configured-secrets.ts';
import type { Content } from '../content.ts';
import type { StackRules } from '../stack-rules.ts';

/** Of a connector or provider. */
export interface LinkNeeds {
  readonly role: Role;
  readonly name: string;
  /** That this node does not have; undefined: it has it. */
  readonly stack: string | undefined;
  /** It has a secret that no key of this node opens. */
  readonly isSealed: boolean;
  /** Secrets in files. */
  readonly files: readonly string[];
}

/** Of those that need something, which may be there. */
export function siteNeeds(
  content: Content,
  stacks: ReadonlyMap<string, StackRules>,
  secrets: ConfiguredSecrets,
): LinkNeeds[] {
  return secretFamilies.flatMap((family) => {
    const role = family === 'connectors' ? 'connector' : 'provider';
    return Array.from(content[family]).flatMap(([name, text]) => {
      const { stackName = '' } = parseJson(text) as { stackName?: string };
      const stack = stacks.get(stackName)?.[role] === undefined ? stackName : undefined;
      const { unopened, files } = secrets.needs(family, text);
      const isSealed = unopened.length > 0;
      return stack === undefined && !isSealed && files.length === 0 ? [] : [{ role, name, stack, isSealed, files }];
    });
  });
}
