// How the value of a measurement came about: a sentence, the stages of its chain from the reading to the live value, with the one
// that made it bad or uncertain, and its connector.
import type { LinkState } from '@telltale/schema';
import { fromTimestamp, isBad } from '@telltale/schema/values';
import { useEffect } from 'preact/hooks';
import { type Explanation, explainMeasurement, type StageExplained, stageAtFault } from '../../data/explanations.ts';
import { moment } from '../../data/moment.ts';
import { revision } from '../../data/overview.ts';
import { may } from '../../data/session.ts';
import { personText } from '../../parts/person-text.ts';
import { qualityText } from '../../parts/quality-words.ts';
import { ReadState } from '../../parts/read-state.tsx';
import { momentText } from '../../parts/times.ts';
import { useRead } from '../../parts/use-read.ts';
import { place } from '../../router.ts';
import { words } from '../../words/words.ts';
import { PointSection } from './point-section.tsx';

const everyMs = 2000;
const sectionId = 'point-explanation';

/** Leads the eye, the focus and the screen reader there. */
export function showExplanation(): void {
  const section = document.getElementById(sectionId);
  const target = section?.querySelector<HTMLElement>('.chain-fault') ?? section;
  if (target === null || target === undefined) return;
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
  target.scrollIntoView({ block: 'center' });
}

export interface ExplanationSectionProps {
  readonly name: string;
  /** The quality that is shown: with another one, it is read at once. */
  readonly q: number | undefined;
}

export function ExplanationSection({ name, q }: ExplanationSectionProps) {
  const { point } = words.value;
  const title = point.sections.explanation;
  if (moment.value !== undefined || !may('diagnose')) {
    return (
      <PointSection id={sectionId} title={title}>
        <p class="quiet">{moment.value === undefined ? point.mayNotDiagnose : point.notOfThen}</p>
      </PointSection>
    );
  }
  return <Explained key={name} name={name} q={q} />;
}

function Explained({ name, q }: ExplanationSectionProps) {
  const { point } = words.value;
  const { value, error } = useRead((signal) => explainMeasurement(name, signal), [name, q, revision.value], {
    everyMs,
  });
  const isWanted = place.value.query.get('show') === 'explanation';
  const isKnown = value !== undefined;
  useEffect(() => {
    if (isWanted && isKnown) showExplanation();
  }, [isWanted, isKnown]);
  return (
    <PointSection id={sectionId} title={point.sections.explanation}>
      <ReadState value={value} error={error} />
      {value !== undefined && (
        <>
          <p lang="en">{readable(value.summary)}</p>
          <ConnectorLine explanation={value} />
          <Chain explanation={value} />
        </>
      )}
    </PointSection>
  );
}

/** What the service says, with its times as they are shown elsewhere. */
function readable(text: string): string {
  return text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => momentText(Date.parse(time) * 1000));
}

function Chain({ explanation }: { readonly explanation: Explanation }) {
  const fault = stageAtFault(explanation);
  return (
    <ol class="chain">
      {explanation.stages.map((stage) => (
        <Stage key={stage.stage} stage={stage} q={stage.stage === fault ? explanation.vtq[2] : undefined} />
      ))}
    </ol>
  );
}

const signs: Readonly<Record<StageExplained['effect'], string>> = {
  off: '○',
  passed: '✓',
  changed: '✎',
  stopped: '■',
  unknown: '?',
};

/** `q`: the quality that it gave the value; undefined where it did not. */
function Stage({ stage, q }: { readonly stage: StageExplained; readonly q: number | undefined }) {
  const { point } = words.value;
  const fault = q === undefined ? '' : `chain-fault ${isBad(q) ? 'chain-bad' : 'chain-uncertain'}`;
  return (
    <li class={`chain-stage chain-${stage.effect} ${fault}`}>
      <span class="chain-sign" aria-hidden="true">
        {q === undefined ? signs[stage.effect] : isBad(q) ? '✕' : '?'}
      </span>
      <div>
        <b>{point.stages[stage.stage]}</b> <span class="quiet">{point.effects[stage.effect]}</span>
        {q !== undefined && <p class="chain-why">{point.faultOf(qualityText(q))}</p>}
        <p lang="en">{readable(stage.text)}</p>
      </div>
    </li>
  );
}

function ConnectorLine({ explanation }: { readonly explanation: Explanation }) {
  const { point } = words.value;
  const { connector, address } = explanation;
  return (
    <dl class="point-facts">
      <div>
        <dt>{point.connector}</dt>
        <dd>{connector === null ? point.noConnector : <LinkLine link={connector} />}</dd>
      </div>
      {address !== null && address !== '' && (
        <div>
          <dt>{point.address}</dt>
          <dd>
            <code>{address}</code>
          </dd>
        </div>
      )}
    </dl>
  );
}

type Linked = Pick<
  NonNullable<Explanation['connector']>,
  'name' | 'state' | 'since' | 'last-error' | 'disabled' | 'stack'
>;

const linkSigns: Readonly<Record<LinkState, string>> = {
  up: '●',
  connecting: '◌',
  down: '✕',
  failed: '✕',
  disabled: '⦸',
};

export function LinkLine({ link }: { readonly link: Linked }) {
  const { point } = words.value;
  const { name, state, since, disabled, stack } = link;
  const lastError = link['last-error'];
  return (
    <>
      <a href={`/connectors/${name}`}>{name}</a> <span class="quiet">({stack})</span>{' '}
      <span class={state === 'up' ? 'quiet' : 'error'} title={momentText(fromTimestamp(since))}>
        {linkSigns[state]} {point.linkStates[state]}
      </span>
      {disabled !== null && <div>{point.disabledBy(personText(disabled.by), disabled.reason ?? '')}</div>}
      {state !== 'up' && lastError !== null && (
        <div>
          {point.lastError}: {lastError.text}
        </div>
      )}
    </>
  );
}
