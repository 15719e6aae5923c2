// The protocol stacks that were found, as connectors and providers can use them: read-only.
import { Collection, Names, ProblemError, Stack } from '@telltale/schema';
import { readNames } from '../read-list.ts';
import { jsonType, type Route } from '../route.ts';
import { NamesQuery } from './families.ts';

export interface StackCatalogue {
  readonly connector: ReadonlyMap<string, Stack>;
  readonly provider: ReadonlyMap<string, Stack>;
}

export function stackRoutes({ base, stacks }: { base: string; stacks: StackCatalogue }): Route[] {
  return (['connector', 'provider'] as const).flatMap((role): Route[] => {
    const path = `${base}/stacks/${role}`;
    const tag = 'Configuration: stacks';
    const word = role === 'connector' ? 'Connector' : 'Provider';
    const found = stacks[role];
    return [
      {
        method: 'GET',
        path: `${path}/names`,
        id: `listNamesOf${word}Stacks`,
        tag,
        summary: `Names of the stacks that a ${role} can run, sorted`,
        answer: { status: 200, description: 'The names.', type: jsonType, schema: Names },
        problems: [],
        handle: async () => [...found.keys()].sort(),
      },
      {
        method: 'GET',
        path,
        id: `list${word}Stacks`,
        tag,
        summary: `The stacks that a ${role} can run, or those that are named`,
        query: NamesQuery,
        answer: { status: 200, description: 'From name to stack.', type: jsonType, schema: Collection(Stack) },
        problems: ['too-many-names'],
        handle: async ({ query }) => {
          const wanted = new Set(readNames(query.names as string | undefined) ?? found.keys());
          return Object.fromEntries([...found].filter(([name]) => wanted.has(name)));
        },
      },
      {
        method: 'GET',
        path: `${path}/:name`,
        id: `get${word}Stack`,
        tag,
        summary: `One stack: its settings, address syntax and examples`,
        names: 'the stack',
        answer: { status: 200, description: 'The stack.', type: jsonType, schema: Stack },
        problems: ['unknown-stack'],
        handle: async ({ name }) => {
          const stack = found.get(name);
          if (stack === undefined) throw new ProblemError('unknown-stack', `There is no ${role} stack ${name}.`);
          return stack;
        },
      },
    ];
  });
}
