// The one script of the page: it searches the contents, and shows examples with the address that the reader has reached the
// service by. Without it everything is there, but for the search.
import { createHash } from 'node:crypto';

export const docsScript = `
const { base } = document.body.dataset;
for (const code of document.querySelectorAll('.conventions code, .command code')) {
  if (base !== location.origin) code.textContent = code.textContent.replaceAll(base, location.origin);
}
const box = document.getElementById('page-filter');
const groups = [...document.querySelectorAll('#page-contents details')];
const opened = groups.map((group) => group.open);
box.closest('[hidden]').hidden = false;
box.addEventListener('input', () => {
  const words = box.value.toLowerCase().split(' ').filter(Boolean);
  groups.forEach((group, index) => {
    let hits = 0;
    for (const entry of group.querySelectorAll('li')) {
      const isListed = words.length > 0 || !('searched' in entry.dataset);
      entry.hidden = !isListed || !words.every((word) => entry.dataset.find.includes(word));
      if (!entry.hidden) hits++;
    }
    group.hidden = hits === 0;
    group.open = words.length > 0 || opened[index];
  });
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target === box || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  box.focus();
});
`;

/** For the content security policy of the page: `script-src '${docsScriptHash}'`. */
export const docsScriptHash = `sha256-${createHash('sha256').update(docsScript).digest('base64')}`;
