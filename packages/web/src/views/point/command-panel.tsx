// A command: its value, who wrote it and what the device said, and writing it.
import { useSignal } from '@preact/signals';
import { fromTimestamp } from '@telltale/schema/values';
import { useMemo } from 'preact/hooks';
import { type CommandExplanation, explainCommand } from '../../data/explanations.ts';
import { moment } from '../../data/moment.ts';
import { revision } from '../../data/overview.ts';
import { factsOfPoint } from '../../data/points.ts';
import { may } from '../../data/session.ts';
import { shownMoment } from '../../parts/now.ts';
import { ReadState } from '../../parts/read-state.tsx';
import { momentText, shortMomentText } from '../../parts/times.ts';
import { useRead } from '../../parts/use-read.ts';
import { useShown, Value } from '../../parts/value.tsx';
import { words } from '../../words/words.ts';
import { BlameSection } from './blame-section.tsx';
import { LinkLine } from './explanation-section.tsx';
import { PointHistory } from './point-history.tsx';
import { PointSection } from './point-section.tsx';
import { PointTrend } from './point-trend.tsx';
import { WriteDialog } from './write-dialog.tsx';

const everyMs = 2000;

export function CommandPanel({ name }: { readonly name: string }) {
  const { point } = words.value;
  const shown = useShown('commands', name);
  const facts = useMemo(() => factsOfPoint('commands', name), [name]).value;
  const isWriting = useSignal(false);
  const isNow = moment.value === undefined;
  const t = typeof shown === 'object' ? shown.t : undefined;
  return (
    <>
      <div class="point-value">
        <Value name={name} shown={shown} facts={facts} />
      </div>
      {t !== undefined && t > 0 && (
        <p class="quiet" title={momentText(t)}>
          {words.value.common.since} {shortMomentText(t, shownMoment.value)}
        </p>
      )}
      {isNow && may('write') && typeof facts === 'object' && (
        <div class="row">
          <button
            type="button"
            class="main"
            onClick={() => {
              isWriting.value = true;
            }}
          >
            {point.write}
          </button>
        </div>
      )}
      {isWriting.value && typeof facts === 'object' && (
        <WriteDialog
          name={name}
          facts={facts}
          onClose={() => {
            isWriting.value = false;
          }}
        />
      )}
      <PointTrend kind="commands" name={name} />
      {isNow && may('diagnose') && <ExplainedCommand name={name} t={t} />}
      <PointHistory kind="commands" name={name} version={t} />
      <BlameSection family="commands" name={name} />
    </>
  );
}

function ExplainedCommand({ name, t }: { readonly name: string; readonly t: number | undefined }) {
  const { point } = words.value;
  const { value, error } = useRead((signal) => explainCommand(name, signal), [name, t, revision.value], { everyMs });
  return (
    <PointSection title={point.sections.explanation}>
      <ReadState value={value} error={error} />
      {value !== undefined && <Said found={value} />}
    </PointSection>
  );
}

function Said({ found }: { readonly found: CommandExplanation }) {
  const { point } = words.value;
  const { summary, connector, address, raw, providers } = found;
  const last = found['last-write'];
  return (
    <>
      <p title={last === null ? undefined : momentText(fromTimestamp(last.t))}>{summary}</p>
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
        {raw !== null && connector !== null && (
          <div>
            <dt>{point.raw}</dt>
            <dd>
              <code>{raw.slice(1, 200)}</code>
            </dd>
          </div>
        )}
        {providers.map((provider) => (
          <div key={provider.name}>
            <dt>{provider.name}</dt>
            <dd>
              <code>{provider.address}</code>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
