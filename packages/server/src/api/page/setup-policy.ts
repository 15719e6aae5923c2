// The script of the page that makes the first administrator, and the policy by which a browser runs it and nothing else.
import { scriptPolicy } from './script-policy.ts';

export const setupScript = `
const form = document.querySelector('form');
const [wrong, done] = ['alert', 'status'].map((role) => document.querySelector('[role=' + role + ']'));
const say = (text) => { wrong.textContent = text; wrong.hidden = text === ''; };
if (location.hash.length < 2) say('This page is opened by the link in the file first-administrator of the data folder.');
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { user, password, again } = Object.fromEntries(new FormData(form));
  if (password !== again) return say('The two passwords differ.');
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
    else say((await answer.json()).detail);
  } catch {
    say('The service does not answer.');
  }
  button.disabled = false;
});
`;

export const setupPolicy = scriptPolicy(setupScript);
