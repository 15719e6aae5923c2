// Writes packages/client/src/operation-forms.ts: of each operation what a client needs to ask for it over HTTP, without the
// schemas of the catalogue.
import { declarationOf, type HttpOperation, httpOperationNames, inputsInBody } from '@telltale/schema';

/** The text of the module. */
export function operationForms(): string {
  const lines = httpOperationNames.map((name) => `  ${name}: ${formOf(declarationOf(name))},`);
  return `// How each operation is asked for over HTTP. Made by \`npm run generate\` from the catalogue; do not edit.
import type { HttpForm, HttpOperationName, ProblemName } from '@telltale/schema';

export interface OperationForm extends Pick<HttpForm, 'method' | 'path'> {
  /** What the service says to a name in the path that no object can have, where that is not the usual. */
  readonly refusal?: ProblemName;
  /** The inputs that are members of the body; the others are in the path, and in the query. */
  readonly inBody?: readonly string[];
}

// biome-ignore format: one operation a line
export const operationForms: Readonly<Record<HttpOperationName, OperationForm>> = {
${lines.join('\n')}
};
`;
}

function formOf({ http, problems }: HttpOperation): string {
  const { method, path } = http;
  const members = [
    `method: ${quoted(method)}`,
    `path: ${quoted(path)}`,
    ...(method === 'GET' && problems.includes('unknown-stack') ? [`refusal: 'unknown-stack'`] : []),
    ...(http.body?.isInput ? [`inBody: [${inputsInBody(http).map(quoted).join(', ')}]`] : []),
  ];
  return `{ ${members.join(', ')} }`;
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}
