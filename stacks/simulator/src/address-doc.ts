// The documentation of the addresses, made from the table of functions and, where there is a model, its tags.
import type { PointKind } from '@telltale/stack-kit';
import { type AddressFunction, functionNames, functions } from './functions.ts';
import type { ModelDeclaration } from './model.ts';

const opening: Readonly<Record<PointKind, string>> = {
  measurement:
    'A function with its arguments in any order; those with a default may be omitted. Texts with spaces, commas or ' +
    'parentheses are quoted. Values are rounded for integers. `counter` and `walk` start with the connector; all others ' +
    'follow the time of day, so that a restart does not make them jump. A fault is 1 while it is active.',
  command:
    'A tag to write to, or a fault to inject. A fault of datatype b begins with 1 and ends with 0. A fault of a number ' +
    'lasts that many seconds and ends at once with 0. Points that inject or show faults are not affected by faults.',
};

/** Markdown. */
export function addressDoc(kind: PointKind, model?: ModelDeclaration): string {
  const entries = functionNames(model !== undefined).flatMap((name) => {
    const { summary, parameters, datatypes, only }: AddressFunction<unknown> = functions[name];
    const served = datatypes[kind];
    if (served === undefined) return [];
    const used = Object.entries(parameters).filter(([argument]) => (only[argument] ?? kind) === kind);
    const raw = name === 'model' ? "the tag's" : served.join(', ');
    return [
      `- \`${signature(name, kind)}\`: ${summary[kind]}. Raw datatype: ${raw}.`,
      ...used.map(([argument, { title }]) => `  - \`${argument}\`: ${title}.`),
    ];
  });
  const parts = [opening[kind], entries.join('\n')];
  if (model !== undefined) parts.push(model.doc(kind));
  return parts.join('\n\n');
}

/** The call with its defaults, such as `echo(tag, delay=0)`. */
function signature(name: keyof typeof functions, kind: PointKind): string {
  const { parameters, positional, only }: AddressFunction<unknown> = functions[name];
  const parts = Object.entries(parameters)
    .filter(([argument]) => (only[argument] ?? kind) === kind)
    .map(([argument, parameter]) => {
      if (argument === positional) return argument;
      if (parameter.default === undefined) return `${argument}=…`;
      return `${argument}=${parameter.type === 'string' ? JSON.stringify(parameter.default) : parameter.default}`;
    });
  return `${name}(${parts.join(', ')})`;
}
