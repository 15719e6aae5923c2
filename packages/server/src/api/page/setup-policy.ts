// The script of the page that makes the first administrator, and the policy by which a browser runs it and nothing else.
import { chosenScript } from './form-page.ts';
import { scriptPolicy } from './script-policy.ts';

export const setupScript = `${chosenScript}const form = document.querySelector('form');
const done = document.querySelector('[role=status]');
if (location.hash.length < 2) say(either(
  'This page is opened by the link in the file first-administrator of the data folder.',
  'Diese Seite wird über den Link in der Datei first-administrator des Datenordners geöffnet.',
));
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { user, password, again } = Object.fromEntries(new FormData(form));
  if (password !== again) return say(either('The two passwords differ.', 'Die beiden Passwörter unterscheiden sich.'));
  say('');
  const button = form.querySelector('button');
  button.disabled = true;
  try {
    const answer = await fetch('init', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user, password, code: location.hash.slice(1) }),
    });
    if (answer.ok) { form.hidden = true; done.hidden = false; }
    else say((await answer.json()).detail, 'en');
  } catch {
    silent();
  }
  button.disabled = false;
});
`;

export const setupPolicy = scriptPolicy(setupScript);
