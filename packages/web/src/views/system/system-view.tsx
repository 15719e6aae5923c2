// The service itself: how it is and what is to be done, its version, backup of the configuration, settings and metrics.
import { fromTimestamp } from '@telltale/schema/values';
import { overview } from '../../data/overview.ts';
import { link } from '../../data/service.ts';
import { may } from '../../data/session.ts';
import { acknowledgeMissing, readMissing } from '../../data/system.ts';
import { type Fact, FactList } from '../../parts/fact-list.tsx';
import { bytesText } from '../../parts/figure-text.ts';
import { now } from '../../parts/now.ts';
import { PastNote } from '../../parts/past-note.tsx';
import { ProblemText } from '../../parts/problem-text.tsx';
import { ageText, momentText } from '../../parts/times.ts';
import { useRead } from '../../parts/use-read.ts';
import { useTask } from '../../parts/use-task.ts';
import { words } from '../../words/words.ts';
import { BackupPanel } from './backup-panel.tsx';
import { MetricsPanel } from './metrics-panel.tsx';
import { NodePanel } from './node-panel.tsx';
import { SettingsPanel } from './settings-panel.tsx';
import { StorePanel } from './store-panel.tsx';

export default function SystemView() {
  const { system, common } = words.value;
  const { node = null, store = null } = overview.value ?? {};
  return (
    <div class="view admin">
      <div class="view-head">
        <h1>{system.title}</h1>
        <a href="/docs/">{system.docs}</a>
      </div>
      <PastNote />
      {overview.value === undefined ? <p class="quiet">{common.loading}</p> : <Health />}
      {node !== null && <NodePanel node={node} />}
      {store !== null && <StorePanel store={store} />}
      {may('read-config') && <BackupPanel />}
      {may('read-config') && <SettingsPanel />}
      {may('read-metrics') && <MetricsPanel />}
    </div>
  );
}

function Health() {
  const { system, shell } = words.value;
  const found = overview.value;
  if (found === undefined) return null;
  const { service, warnings, degraded, plant, bus } = found;
  const started = fromTimestamp(service.started);
  const trouble = found['not-ready'];
  const facts: readonly Fact[] = [
    [system.version, service.version],
    [system.machine, service.name],
    [system.started, momentText(started)],
    [system.uptime, ageText((now.value - started) / 1e6)],
    [system.zone, found['time-zone']],
    ['Bus', bus === null ? '' : `${system.storeStates[bus.state]}, ${bus.address}`],
    ...(plant === null
      ? []
      : [
          [system.clients, String(plant['channel-clients'])] as const,
          [system.disk, plant['disk-free-bytes'] === null ? '–' : bytesText(plant['disk-free-bytes'])] as const,
        ]),
  ];
  return (
    <section class="panel">
      <h2>{system.health}</h2>
      {link.value.state !== 'connected' && <p class="problem">{shell.link.lost}</p>}
      {trouble === null ? (
        <p>{degraded.length === 0 ? `✓ ${system.ready}` : system.readyAlone}</p>
      ) : (
        <div class="problem" role="alert">
          <p>
            <b>{system.notReady}</b> {trouble.detail}
          </p>
          <a href={`/docs/#problem-${encodeURIComponent(trouble.problem)}`}>{system.whatToDo}</a>
        </div>
      )}
      {degraded.map(({ since, text }) => (
        <p key={text} class="problem" role="alert">
          {momentText(fromTimestamp(since))}: {text}
        </p>
      ))}
      {warnings.length > 0 && (
        <>
          <h3>{system.warnings}</h3>
          <ul>
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </>
      )}
      {may('read-config') && <Missing />}
      <FactList facts={facts} />
    </section>
  );
}

function Missing() {
  const { system } = words.value;
  const { value, error, again } = useRead(readMissing, [], { everyMs: 10_000 });
  const task = useTask();
  if (error !== undefined) return <ProblemText error={error} />;
  if (value === undefined || value.length === 0) return null;
  return (
    <div class="problem">
      <p>
        <b>{system.missing}</b>
      </p>
      <ul>
        {value.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
      <p>{system.missingWhat}</p>
      {may('configure') && (
        <button
          type="button"
          disabled={task.isUnderway}
          onClick={() => void task.run(acknowledgeMissing).then((isDone) => isDone && again())}
        >
          {system.acknowledge}
        </button>
      )}
      {task.error !== undefined && <ProblemText error={task.error} />}
    </div>
  );
}
