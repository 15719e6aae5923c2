// A document in Markdown as HTML: its headings have the anchors that links of the project use, and its links lead to other
// documents that are served, or nowhere.
import { Marked, type Token, type Tokens } from 'marked';
import { escapeHtml, type Html, trusted } from './html.ts';

export interface Section {
  readonly title: string;
  readonly anchor: string;
  /** Without marks, for searching. */
  readonly text: string;
}

export interface RenderedDocument {
  readonly title: string;
  readonly sections: readonly Section[];
  readonly body: Html;
}

/** `linkTo` gives the address of what a link names, or undefined where that is not served. */
export function renderMarkdown(text: string, linkTo: (target: string) => string | undefined): RenderedDocument {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const content = this.parser.parseInline(tokens);
        const anchor = anchorOf(plainText(tokens));
        return `<h${depth} id="${anchor}"><a class="self" href="#${anchor}">${content}</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const content = this.parser.parseInline(tokens);
        const target = href.startsWith('#') ? href : linkTo(href);
        return target === undefined ? content : `<a href="${escapeHtml(target)}">${content}</a>`;
      },
      code({ text: code, lang }) {
        const isCommand = lang === 'sh' ? ' command' : '';
        return `<pre class="code${isCommand}"><code>${escapeHtml(code)}</code></pre>\n`;
      },
      // Comments of the generator; the documents have no other HTML.
      html: () => '',
      image: () => '',
    },
  });
  const tokens = marked.lexer(text);
  const sections = sectionsOf(tokens);
  return { title: sections[0]?.title ?? '', sections, body: trusted(marked.parser(tokens)) };
}

function sectionsOf(tokens: readonly Token[]): Section[] {
  const sections: { title: string; anchor: string; text: string }[] = [];
  for (const token of tokens) {
    if (token.type === 'heading') {
      const title = plainText((token as Tokens.Heading).tokens);
      sections.push({ title, anchor: anchorOf(title), text: '' });
    }
    const section = sections.at(-1);
    if (section !== undefined) section.text += `${token.raw} `;
  }
  return sections;
}

function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => ('tokens' in token && token.tokens ? plainText(token.tokens) : token.raw))
    .join('')
    .replaceAll('`', '');
}

/** As code hosts make them. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}
