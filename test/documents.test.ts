// Promises of the documents: the paths, links and headings that they name exist.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, test } from 'node:test';
import { root } from './source-files.ts';

describe('the documents', () => {
  const security = ['docs/security/iec-62443.md', 'docs/security/asvs.md'];
  const named = ['ARCHITECTURE.md', 'README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/glossary.md', ...security];
  for (const document of named) {
    test(`every path that ${document} names exists`, () => {
      const text = readFileSync(join(root, document), 'utf8');
      const quoted = Array.from(text.matchAll(/`([\w.@-]+(?:\/[\w.@-]+)*\/?)`/g), ([, path = '']) => path);
      const paths = quoted.filter((path) => /^(?:packages|stacks|docs|examples|test|bench|scripts|\.ci)\//.test(path));
      assert.ok(paths.length + linksOf(document).length > 0);
      assert.deepEqual(
        paths.filter((path) => !existsSync(join(root, path))),
        [],
      );
    });
  }

  for (const document of security) {
    test(`every requirement of ${document} has a state, and the tests that show what is met`, () => {
      const rows = readFileSync(join(root, document), 'utf8').matchAll(/^\| (.+) \| (.+) \| (.+) \| (.*)\|$/gm);
      const [met, unmet] = [new Set(['met', 'part']), new Set(['open', '–'])];
      let count = 0;
      for (const [, requirement = '', state = '', how = '', tests = ''] of rows) {
        if (state === 'State' || state === '---') continue;
        count++;
        assert.ok(met.has(state) || unmet.has(state), `${requirement}: ${state}`);
        assert.ok(how.length > 10, requirement);
        const isTested = /^(?:`[\w./@-]+\.test\.ts`(?:, )?)+ $/.test(tests);
        assert.equal(isTested, met.has(state), `${requirement}: ${tests}`);
      }
      assert.ok(count > 40, `${count} requirements`);
    });
  }

  test('every link leads to a file, and to a heading where it names one', () => {
    const patterns = ['*.md', '{docs,packages/*/src}/**/*.md', 'bench/*.md', '{packages,stacks}/*/*.md'];
    const documents = globSync(patterns, { cwd: root });
    assert.deepEqual(
      named.filter((document) => !documents.includes(document)),
      [],
    );
    const broken = documents.flatMap((document) =>
      linksOf(document)
        .filter(({ path, heading }) => !existsSync(join(root, path)) || !hasHeading(path, heading))
        .map(({ path, heading }) => `${document}: ${path}#${heading}`),
    );
    assert.deepEqual(broken, []);
  });

  /** Links of a document to files of the repository, as paths from its root. */
  function linksOf(document: string): { path: string; heading: string }[] {
    const text = readFileSync(join(root, document), 'utf8').replace(/^```.*?^```$/gms, '');
    const links = text.matchAll(/\]\(([^)#:]*)(?:#([^)]*))?\)/g);
    return Array.from(links, ([, target = '', heading = '']) => ({
      path: target === '' ? document : normalize(join(dirname(document), target)),
      heading,
    }));
  }

  /** Whether the document has a heading of this anchor, as GitHub makes anchors; true where none is asked for. */
  function hasHeading(document: string, anchor: string): boolean {
    if (anchor === '') return true;
    const headings = readFileSync(join(root, document), 'utf8').matchAll(/^#+ (.*)$/gm);
    const anchors = Array.from(headings, ([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    );
    return anchors.includes(anchor);
  }
});
