// Always there: the link to the service, how many values are forced, pending edits, and who is signed in.

import { moment } from '../../data/moment.ts';
import { overview } from '../../data/overview.ts';
import { link } from '../../data/service.ts';
import { identity, may, signOut } from '../../data/session.ts';
import { language, languages, theme, themes, zoneChoice, zoneChoices } from '../../settings.ts';
import { words } from '../../words/words.ts';
import { notifyFailure } from '../notices.tsx';
import { TimeMenu } from './time-menu.tsx';

export function Status() {
  const { shell } = words.value;
  const { state } = link.value;
  const isPast = moment.value !== undefined;
  const forced = overview.value?.measurements.simulated ?? 0;
  const configuration = overview.value?.configuration;
  const edits = configuration?.edits ?? 0;
  return (
    <div class="status">
      {isPast && (
        <span class="quiet" title={shell.isNowWhy}>
          {shell.isNow}
        </span>
      )}
      {forced > 0 && (
        <a class="chip chip-forced" href="/forced">
          {shell.forcedCount(forced)}
        </a>
      )}
      {configuration && !configuration['up-to-date'] && may('read-config') && (
        <a class="chip" href="/config/changes">
          ✎ {edits > 0 ? shell.pending(edits) : shell.pendingSome}
        </a>
      )}
      <span class={`chip chip-link chip-${state}`} role="status">
        {state === 'connected' ? '●' : '○'} {isPast && state === 'connected' ? shell.linkUp : shell.link[state]}
      </span>
      <TimeMenu />
      <PersonMenu />
    </div>
  );
}

function PersonMenu() {
  const { shell } = words.value;
  const who = identity.value;
  const name = who?.isOpen ? shell.everybody : (who?.displayName ?? who?.identity ?? '…');
  return (
    <>
      <button
        type="button"
        class="person"
        popovertarget="person-menu"
        title={who?.isOpen ? shell.everybodyWhy : shell.signedInAs(name)}
      >
        <span aria-hidden="true">{who?.isOpen ? '⚠' : '◉'}</span>
        <span class="person-name">{name}</span>
      </button>
      <div id="person-menu" popover="auto" class="person-menu">
        {who !== undefined && !who.isOpen && (
          <div class="person-actions">
            <a href="/access?tab=own" data-outside>
              {shell.ownAccess}
            </a>
            <button type="button" onClick={() => void signOut().catch(notifyFailure)}>
              {shell.signOut}
            </button>
          </div>
        )}
        {who?.isOpen && <p class="quiet">{shell.everybodyWhy}</p>}
        <Choices title={shell.theme} choices={themes} chosen={theme} text={shell.themes} />
        <Choices title={shell.language} choices={languages} chosen={language} text={shell.languages} />
        <Choices title={shell.zone} choices={zoneChoices} chosen={zoneChoice} text={shell.zones} />
      </div>
    </>
  );
}

interface ChoicesProps<Choice extends string> {
  readonly title: string;
  readonly choices: readonly Choice[];
  readonly chosen: { value: Choice };
  readonly text: Readonly<Record<Choice, string>>;
}

function Choices<Choice extends string>({ title, choices, chosen, text }: ChoicesProps<Choice>) {
  return (
    <fieldset class="choices">
      <legend>{title}</legend>
      {choices.map((choice) => (
        <button
          key={choice}
          type="button"
          aria-pressed={chosen.value === choice}
          onClick={() => {
            chosen.value = choice;
          }}
        >
          {text[choice]}
        </button>
      ))}
    </fieldset>
  );
}
