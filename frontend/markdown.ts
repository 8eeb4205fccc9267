import { Marked, type Tokens } from 'marked';
import type { Plugin } from 'vite';

/** A heading's address within its page, as GitHub makes it. */
const slug = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, '')
    .trim()
    .replaceAll(' ', '-');

/** Documents of the repository as HTML, made when the pages are built: no browser loads a reader of Markdown. */
export function markdown(): Plugin {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        return `<h${depth} id="${slug(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      code({ text }: Tokens.Code) {
        const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
        return `<pre tabindex="0"><code>${escaped}</code></pre>\n`;
      },
      table(token: Tokens.Table) {
        const row = (cells: Tokens.TableCell[], cell: 'td' | 'th scope="col"') =>
          `<tr>${cells.map(({ tokens }) => `<${cell}>${this.parser.parseInline(tokens)}</${cell.slice(0, 2)}>`).join('')}</tr>`;
        const rows = token.rows.map((cells) => row(cells, 'td')).join('');
        const head = `<thead>${row(token.header, 'th scope="col"')}</thead>`;
        return `<div class="document-table" role="group" aria-label="Table" tabindex="0"><table>${head}<tbody>${rows}</tbody></table></div>\n`;
      },
    },
  });
  return {
    name: 'markdown',
    transform(code, id) {
      if (!id.endsWith('.md')) return null;
      return { code: `export default ${JSON.stringify(marked.parse(code, { async: false }))};`, map: null };
    },
  };
}
