// How a connector or provider does: rates, counters, its devices and scan groups.
import type { DeviceStatus, ScanGroupStatus } from '@telltale/schema';
import { fromTimestamp, printable } from '@telltale/schema/values';
import type { LinkDetails } from '../../data/links.ts';
import { type Figure, FigureList } from '../../parts/figure-list.tsx';
import { countText, rateText } from '../../parts/figure-text.ts';
import { now } from '../../parts/now.ts';
import { StateMark } from '../../parts/state-mark.tsx';
import { ageText, momentText } from '../../parts/times.ts';
import { localNumber, words } from '../../words/words.ts';

export function LinkFigures({ link }: { readonly link: LinkDetails }) {
  const { connectors } = words.value;
  return (
    <>
      <section class="panel">
        <h2>{connectors.figures.title}</h2>
        <FigureList facts={present(link)} />
      </section>
      {link.devices.length > 0 && <Devices devices={link.devices} />}
      {link.role === 'connector' && link['scan-groups'].length > 0 && <Groups groups={link['scan-groups']} />}
      {link.role === 'connector' && link['left-out'] > 0 && (
        <p class="quiet">{connectors.devices.more(link['left-out'])}</p>
      )}
      <section class="panel">
        <h2>{connectors.counters.title}</h2>
        <FigureList facts={countersOf(link)} />
      </section>
    </>
  );
}

function present(link: LinkDetails): Figure[] {
  const { figures } = words.value.connectors;
  const facts: Figure[] = [{ what: figures.valuesRate, value: rateText(link['values-per-second']) }];
  if (link.role === 'connector') {
    facts.push({ what: figures.requestsRate, value: rateText(link['requests-per-second']) });
    const trip = link['round-trip'];
    if (trip !== null) {
      facts.push({ what: figures.roundTrip, value: `${millisText(trip.p50)} / ${millisText(trip.p99)}` });
    }
    facts.push({ what: figures.overruns, value: countText(link.overruns), isNotable: link.overruns > 0 });
  } else {
    const { clients, forwarding } = link;
    if (clients !== null) facts.push({ what: figures.clients, value: countText(clients) });
    if (forwarding !== null) {
      const givenUp = forwarding['given-up'];
      const waiting = forwarding['waiting-since'];
      facts.push(
        { what: figures.forwarding, value: countText(forwarding.sent) },
        { what: figures.givenUp, value: countText(givenUp), isNotable: givenUp > 0 },
      );
      if (waiting !== null) {
        facts.push({ what: figures.waitingSince, value: momentText(fromTimestamp(waiting)), isNotable: true });
      }
    }
  }
  for (const word of ['good', 'uncertain', 'bad'] as const) {
    const count = link.points[word];
    const text = countText(count);
    const href = `/points?connector=${link.name}&quality=${word}`;
    facts.push({
      what: figures[word],
      value: link.role === 'connector' && count > 0 ? <a href={href}>{text}</a> : text,
      isNotable: word !== 'good' && count > 0,
    });
  }
  facts.push({ what: figures.thread, value: link.thread });
  return facts;
}

/** Each of these says that something went wrong. */
const troubles: ReadonlySet<string> = new Set([
  'errors',
  'dropped',
  'writes-refused',
  'writes-timed-out',
  'writes-not-connected',
  'requests-failed',
  'held',
  'unread',
]);

function countersOf({ counters }: LinkDetails): Figure[] {
  const titles = words.value.connectors.counters;
  return Object.entries(counters).map(([name, count]) => ({
    what: Object.hasOwn(titles, name) ? titles[name as keyof typeof counters] : name,
    value: countText(count),
    isNotable: count > 0 && troubles.has(name),
  }));
}

const downFirst = (one: DeviceStatus, other: DeviceStatus) => Number(one.state === 'up') - Number(other.state === 'up');

function Devices({ devices }: { readonly devices: readonly DeviceStatus[] }) {
  const { common, connectors } = words.value;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys
    <section class="panel link-table" tabIndex={0}>
      <h2>{connectors.devices.title}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{connectors.devices.name}</th>
            <th scope="col">{common.state}</th>
            <th scope="col" class="number">
              {common.since}
            </th>
            <th scope="col">{connectors.lastError}</th>
          </tr>
        </thead>
        <tbody>
          {devices.toSorted(downFirst).map(({ name, state, since, 'last-error': error }) => (
            <tr key={name}>
              <th scope="row">{printable(name)}</th>
              <td>
                <StateMark look={state} text={connectors.devices.states[state]} />
              </td>
              <td class="number" title={momentText(fromTimestamp(since))}>
                {ageText((now.value - fromTimestamp(since)) / 1e6)}
              </td>
              <td class={`link-text ${state === 'up' ? 'quiet' : ''}`}>{printable(error ?? '')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Groups({ groups }: { readonly groups: readonly ScanGroupStatus[] }) {
  const titles = words.value.connectors.groups;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys
    <section class="panel link-table" tabIndex={0}>
      <h2>{titles.title}</h2>
      <table>
        <thead>
          <tr>
            {(['period', 'points', 'requests', 'took', 'scans', 'overruns'] as const).map((key) => (
              <th key={key} scope="col" class="number">
                {titles[key]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map(({ period, points, requests, took, scans, overruns }, at) => (
            <tr key={at}>
              <td class="number">{millisText(period)}</td>
              <td class="number">{countText(points)}</td>
              <td class="number">{countText(requests)}</td>
              <td class="number">{took === null ? '–' : millisText(took)}</td>
              <td class="number">{countText(scans)}</td>
              <td class={`number ${overruns > 0 ? 'link-notable' : ''}`}>{countText(overruns)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Three digits say enough. */
function millisText(ms: number): string {
  const text = ms >= 100 || Number.isInteger(ms) ? countText(Math.round(ms)) : localNumber(ms.toPrecision(2));
  return words.value.connectors.millis(text);
}
