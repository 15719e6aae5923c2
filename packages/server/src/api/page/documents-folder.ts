// The guides and the other pages of the project that are served beside the reference, from a build or from the sources.
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RenderedDocument, renderMarkdown } from './markdown.ts';

export interface ServedDocument extends RenderedDocument {
  /** From /docs/, such as guides/archive.md. */
  readonly path: string;
}

const root = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../../../../../' : './', import.meta.url));

/** `address` stands in commands for the one that documents are written with. */
export function readDocuments(address: string): ReadonlyMap<string, ServedDocument> {
  const files = globSync(['docs/{guides,generated}/*.md', 'stacks/*/README.md'], { cwd: root }).sort(byReading);
  const paths = new Map(files.map((file) => [file, pathOf(file)]));
  return new Map(
    files.map((file) => {
      const path = pathOf(file);
      const text = readFileSync(join(root, file), 'utf8').replaceAll('http://127.0.0.1:8080', address);
      const linkTo = (target: string) => {
        if (/^\w+:/.test(target)) return target;
        const [to = '', anchor] = target.split('#');
        const served = paths.get(join(dirname(file), to));
        return served && `../${served}${anchor === undefined ? '' : `#${anchor}`}`;
      };
      return [path, { path, ...renderMarkdown(text, linkTo) }];
    }),
  );
}

/** Where to begin comes first. */
function byReading(a: string, b: string): number {
  const isFirst = (path: string) => Number(path.endsWith('first-steps.md'));
  return isFirst(b) - isFirst(a) || (a < b ? -1 : 1);
}

/** `stacks/modbus.md` for the README of the stack. */
function pathOf(file: string): string {
  if (basename(file) === 'README.md') return `stacks/${basename(dirname(file))}.md`;
  return `${basename(dirname(file))}/${basename(file)}`;
}
