// One function module: how it does, its executable, what people do to it, and its log as it comes.
import type { LiveFunctionModule } from '@telltale/schema';
import { fromTimestamp, printable } from '@telltale/schema/values';
import { readModule } from '../../data/modules.ts';
import { TelltaleProblem } from '../../data/service.ts';
import { may } from '../../data/session.ts';
import { withState } from '../../data/watched-states.ts';
import { type Figure, FigureList } from '../../parts/figure-list.tsx';
import { countText } from '../../parts/figure-text.ts';
import { NotPermitted } from '../../parts/not-permitted.tsx';
import { PastNote } from '../../parts/past-note.tsx';
import { ProblemText } from '../../parts/problem-text.tsx';
import { Since } from '../../parts/since.tsx';
import { momentText } from '../../parts/times.ts';
import { useRead } from '../../parts/use-read.ts';
import { useStates } from '../../parts/use-states.ts';
import { words } from '../../words/words.ts';
import { ExecutablePanel } from './executable-panel.tsx';
import { LogView } from './log-view.tsx';
import { ModuleActions } from './module-actions.tsx';
import { coresText, ModuleStateMark, memoryText } from './module-state.tsx';

const everyMs = 2000;

export function ModuleView({ name }: { readonly name: string }) {
  const { common, modules } = words.value;
  const pushed = useStates('module').value.get(name);
  const read = useRead((signal) => readModule(name, signal), [name, pushed?.state], { everyMs });
  const isUnknown = read.error instanceof TelltaleProblem && read.error.problem === 'unknown-object';
  const module = isUnknown || read.value === undefined ? undefined : withState(read.value, pushed);
  return (
    <div class="view module">
      <div class="view-head">
        <a href="/modules" aria-label={modules.toList} title={modules.toList}>
          ←
        </a>
        <h1>{name}</h1>
        {module !== undefined && (
          <>
            <span role="status">
              <ModuleStateMark state={module.state} />
            </span>
            <Since us={fromTimestamp(module.since)} />
          </>
        )}
        <span class="grow" />
        {may('read-config') && <a href={`/config/function-modules/${name}`}>{modules.toConfiguration}</a>}
        {module !== undefined && <ModuleActions module={module} onDone={read.again} />}
      </div>
      <PastNote />
      {module === undefined && read.error === undefined && <p class="quiet">{common.loading}</p>}
      {isUnknown && <p>{modules.unknown(name)}</p>}
      {module === undefined && read.error !== undefined && !isUnknown && <ProblemText error={read.error} />}
      {module !== undefined && (
        <div class="module-panels">
          <section class={`panel ${module.state === 'FAIL' ? 'module-failed' : ''}`}>
            <Trouble module={module} />
            <FigureList facts={factsOf(module)} />
          </section>
          {may('read-config') && <ExecutablePanel name={name} />}
        </div>
      )}
      {!isUnknown && (may('diagnose') ? <LogView name={name} /> : <NotPermitted permission="diagnose" />)}
    </div>
  );
}

function Trouble({ module }: { readonly module: LiveFunctionModule }) {
  const { modules } = words.value;
  const error = module['last-error'];
  return (
    <>
      <h2>{modules.lastError}</h2>
      {error === null ? (
        <p class="quiet">{modules.noError}</p>
      ) : (
        <p class="module-error">
          <time class="quiet">{momentText(fromTimestamp(error.t))}</time> <span>{printable(error.text)}</span>
          {module.state === 'RUN' && <span class="quiet"> {modules.errorIsPast}</span>}
        </p>
      )}
    </>
  );
}

function factsOf(module: LiveFunctionModule): Figure[] {
  const { common, modules } = words.value;
  const { status, cpu, memory, processes, restarts, pid, enabled } = module;
  const next = module['next-start'];
  return [
    ...(status === null ? [] : [{ what: modules.status, value: printable(status) }]),
    { what: modules.cpu, value: <span title={modules.cpuWhy}>{coresText(cpu)}</span> },
    { what: modules.memory, value: memoryText(memory) },
    { what: modules.processes, value: processes ?? '–' },
    {
      what: modules.restarts,
      value: <span title={modules.restartsWhy}>{countText(restarts)}</span>,
      isNotable: restarts > 0,
    },
    { what: modules.exit, value: endText(module) },
    ...(next === null ? [] : [{ what: modules.nextStart, value: momentText(fromTimestamp(next)) }]),
    { what: modules.runMode, value: printable(module['run-mode']) },
    { what: modules.enabled, value: enabled ? common.yes : common.no, isNotable: !enabled },
    ...(pid === null ? [] : [{ what: modules.pid, value: pid }]),
  ];
}

function endText(module: LiveFunctionModule): string {
  const { modules } = words.value;
  const [code, signal] = [module['exit-code'], module['exit-signal']];
  if (signal !== null) return modules.exitSignal(signal);
  return code === null ? modules.notYet : modules.exitCode(code);
}
