// What is wrong, newest first; where nothing is, how the plant and the service are.
import type { Overview } from '@telltale/schema';
import { type Finding, readFindings } from '../../data/condition.ts';
import { overview } from '../../data/overview.ts';
import { may } from '../../data/session.ts';
import { isStale } from '../../data/staleness.ts';
import { bytesText } from '../../parts/figure-text.ts';
import { PastNote } from '../../parts/past-note.tsx';
import { pointPath } from '../../parts/point-path.ts';
import { StaleMark } from '../../parts/quality-mark.tsx';
import { qualityText } from '../../parts/quality-words.ts';
import { ReadState } from '../../parts/read-state.tsx';
import { SeverityMark } from '../../parts/severity-mark.tsx';
import { Since } from '../../parts/since.tsx';
import { useRead } from '../../parts/use-read.ts';
import { words } from '../../words/words.ts';
import { Figures } from './figures.tsx';

const everyMs = 3000;

export default function StartView() {
  const { start } = words.value;
  const isKnown = overview.value !== undefined;
  const { value: findings, error } = useRead(readFindings, [isKnown], { everyMs });
  const isEmpty = overview.value !== undefined && isNothing(overview.value);
  const wrong = findings?.filter(({ level }) => level === 'wrong') ?? [];
  const notes = findings?.filter(({ level }) => level === 'note') ?? [];
  return (
    <div class="view start">
      <PastNote />
      <ReadState value={findings} error={error} />
      {findings !== undefined && wrong.length === 0 && isKnown && (isEmpty ? <Begin /> : <Calm />)}
      {wrong.length > 0 && (
        <section class="panel">
          <h1>
            {start.wrong(wrong.length)} <StaleMark />
          </h1>
          <List findings={wrong} />
        </section>
      )}
      {notes.length > 0 && (
        <section class="panel">
          <h2>{start.notes}</h2>
          <List findings={notes} />
        </section>
      )}
      {overview.value !== undefined && <Figures overview={overview.value} />}
    </div>
  );
}

/** Nothing was configured yet. */
function isNothing({ connectors, measurements, commands }: Overview): boolean {
  const { good, uncertain, bad } = measurements;
  return Object.values(connectors).every((count) => count === 0) && good + uncertain + bad + commands === 0;
}

function Calm() {
  const { start } = words.value;
  return (
    <section class={`panel ${isStale.value ? '' : 'start-calm'}`}>
      <h1>
        {isStale.value ? '' : '✓ '}
        {start.calm} <StaleMark />
      </h1>
      {/* A node that waits has no links, and good values neither. */}
      {overview.value?.node?.role !== 'standby' && <p class="quiet">{start.calmWhy}</p>}
    </section>
  );
}

/** Where nothing is connected, nothing is as it should be. */
function Begin() {
  const { begin } = words.value.start;
  return (
    <section class="panel">
      <h1>{begin.title}</h1>
      <p class="quiet">{begin.why}</p>
      <div class="row">
        {may('configure') && (
          <a class="button main" href="/config/connectors?new=1">
            {begin.connect}
          </a>
        )}
        <a class="button" href="/docs/guides/first-steps.md">
          {begin.guide}
        </a>
      </div>
    </section>
  );
}

function List({ findings }: { readonly findings: readonly Finding[] }) {
  const { start } = words.value;
  return (
    <ul class="start-findings">
      {findings.map((finding) => {
        const { kind, text, href, over } = describe(finding);
        return (
          <li key={`${finding.kind} ${text}`}>
            {finding.kind === 'alarm' ? (
              <SeverityMark severity={finding.severity} />
            ) : (
              <span class="start-sign">{signOf(finding)}</span>
            )}
            <span class="start-kind quiet">{kind}</span>
            <span>
              <a href={href} {...(over && { 'data-over': '' })}>
                {text}
              </a>
              {finding.kind === 'connector' && finding.bad !== undefined && (
                <>
                  {' · '}
                  <a href={badOf(finding.name)}>{start.badPoints(finding.bad)}</a>
                </>
              )}
            </span>
            {finding.since > 0 && <Since us={finding.since} />}
          </li>
        );
      })}
    </ul>
  );
}

const badOf = (connector: string) =>
  `/points?quality=bad${connector === '' ? '' : `&connector=${encodeURIComponent(connector)}`}`;

const signOf = ({ level }: Finding) => (level === 'wrong' ? '✕' : 'i');

interface Described {
  readonly kind: string;
  readonly text: string;
  readonly href: string;
  readonly over?: boolean;
}

function describe(finding: Finding): Described {
  const { start } = words.value;
  const { kinds } = start;
  switch (finding.kind) {
    case 'connector':
      return { kind: kinds.connector, text: linkText(finding), href: `/connectors/${finding.name}` };
    case 'provider':
      return { kind: kinds.provider, text: linkText(finding), href: `/connectors/${finding.name}?role=provider` };
    case 'device':
      return {
        kind: kinds.connector,
        text: start.device(finding.device, finding.name, finding.error),
        href: `/connectors/${finding.name}`,
      };
    case 'module': {
      const text =
        finding.state === 'FAIL' ? start.moduleFailed(finding.name, finding.error) : start.moduleStopped(finding.name);
      return { kind: kinds.module, text, href: `/modules/${finding.name}` };
    }
    case 'points':
      return {
        kind: kinds.points,
        text: finding.connector === '' ? start.badPoints(finding.count) : start.badOf(finding.connector, finding.count),
        href: badOf(finding.connector),
      };
    case 'point':
      return {
        kind: kinds.point,
        text: start.badPoint(finding.name, qualityText(finding.quality)),
        href: `/points/${finding.name}`,
        over: true,
      };
    case 'alarm':
      return {
        kind: kinds.alarm,
        text: finding.description || finding.name,
        href: pointPath('alarms', finding.name),
        over: true,
      };
    case 'alarms':
      return { kind: kinds.alarm, text: start.moreAlarms(finding.count), href: '/alarms' };
    case 'configuration':
      return { kind: kinds.configuration, text: start.notRendered(finding.count), href: '/config/changes' };
    case 'forced':
      return { kind: kinds.forced, text: start.forced(finding.count), href: '/forced' };
    case 'service':
      return { kind: kinds.service, text: finding.text, href: '/system' };
    case 'disk':
      return { kind: kinds.disk, text: `${bytesText(finding.freeBytes)} ${start.figures.free}`, href: '/archive' };
  }
}

function linkText({ name, state, error }: Extract<Finding, { kind: 'connector' | 'provider' }>): string {
  const { start } = words.value;
  return start.linkState(name, start.link[state], error);
}
