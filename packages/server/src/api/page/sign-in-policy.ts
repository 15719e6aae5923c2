// The script of the page on which people sign in, and the policy by which a browser runs it and nothing else.
import { ownPathForm } from '../../access/index.ts';
import { chosenScript } from './form-page.ts';
import { scriptPolicy } from './script-policy.ts';

export const signInScript = `${chosenScript}const form = document.querySelector('form');
const [second, passkey, oidc] = ['#second', '#passkey', '#oidc'].map((each) => document.querySelector(each));
const wanted = new URLSearchParams(location.search).get('to') ?? '';
const to = ${ownPathForm}.test(wanted) ? wanted : '/';
const german = {
  'wrong-credentials': 'Der Benutzer oder das Passwort ist falsch.',
  'too-many-attempts': 'Zu viele Versuche sind gescheitert: etwas warten, dann noch einmal.',
  'sign-in-refused': 'Das Verzeichnis kennt Sie, aber hier haben Sie keinen Zugang: ein Administrator kann das ändern.',
};
const tell = ({ type = '', detail }) => {
  const text = isGerman ? german[type.split('#problem-')[1]] : undefined;
  if (detail === undefined) silent();
  else say(text ?? detail, text === undefined ? 'en' : '');
};
const noPasskey = {};
const ask = async (path, body) => {
  const answer = await fetch(path, body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const json = await answer.json();
  if (!answer.ok) throw json;
  return json;
};
const signIn = async (given) => {
  say('');
  const buttons = document.querySelectorAll('button');
  for (const each of buttons) each.disabled = true;
  try {
    await ask('sign-in', await given());
    location.replace(to);
  } catch (problem) {
    const needsCode = problem.type?.endsWith('second-factor-needed');
    if (needsCode) {
      second.hidden = false;
      second.querySelector('input').focus();
    }
    if (problem === noPasskey) say(either('No passkey was chosen.', 'Es wurde kein Passkey gewählt.'));
    else if (!needsCode || form.code.value !== '') tell(problem);
  }
  for (const each of buttons) each.disabled = false;
};
form.addEventListener('submit', (event) => {
  event.preventDefault();
  const { user, password, code } = Object.fromEntries(new FormData(form));
  signIn(() => ({ user, password, ...(code !== '' && { code }) }));
});
if (globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) passkey.hidden = false;
passkey.addEventListener('click', () => signIn(async () => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await ask('sign-in/passkey'));
  const answer = await navigator.credentials.get({ publicKey }).catch(() => { throw noPasskey; });
  return { passkey: answer.toJSON() };
}));
ask('directories').then((known) => { oidc.hidden = !known.oidc; oidc.search = new URLSearchParams({ 'return-to': to }); }, () => undefined);
`;

export const signInPolicy = scriptPolicy(signInScript);
