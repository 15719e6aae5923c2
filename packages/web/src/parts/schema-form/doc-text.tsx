// Help as stacks and fields write it: a little Markdown, namely paragraphs, lists, tables and `code`. Anything else stays text.
import type { ComponentChildren } from 'preact';

export function DocText({ paragraphs }: { readonly paragraphs: readonly string[] }) {
  return (
    <div class="doc-text" lang="en">
      {paragraphs.map((paragraph) => (
        <Block key={paragraph} text={paragraph} />
      ))}
    </div>
  );
}

function Block({ text }: { readonly text: string }) {
  const lines = text.split('\n');
  if (lines.length > 2 && lines.every((line) => line.startsWith('|'))) return <Rows lines={lines} />;
  if (lines[0]?.startsWith('- ')) {
    const items = text.slice(2).split('\n- ');
    return (
      <ul>
        {items.map((item) => (
          <li key={item}>
            <CodeText text={item} />
          </li>
        ))}
      </ul>
    );
  }
  return (
    <p>
      <CodeText text={text} />
    </p>
  );
}

function Rows({ lines }: { readonly lines: readonly string[] }) {
  const [head = [], , ...rows] = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return (
    <table>
      <thead>
        <tr>
          {head.map((cell) => (
            <th key={cell}>{cell}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells) => (
          <tr key={cells.join('|')}>
            {cells.map((cell, at) => (
              <td key={head[at]}>
                <CodeText text={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Text with `code` in it. */
export function CodeText({ text }: { readonly text: string }): ComponentChildren {
  return text.split('`').map((part, at) => (at % 2 === 0 ? part : <code key={`${at} ${part}`}>{part}</code>));
}
