// The certificates of one connector or provider: what it presents, what it trusts, and what it has refused.
import { useSignal } from '@preact/signals';
import type { Certificate } from '@telltale/schema';
import { expiryNoticeDays, fromTimestamp, printable } from '@telltale/schema/values';
import { type CertificateOperation, operateCertificate, readCertificates } from '../../data/certificates.ts';
import type { LinkRole } from '../../data/links.ts';
import { moment } from '../../data/moment.ts';
import { may } from '../../data/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { type Figure, FigureList } from '../../parts/figure-list.tsx';
import { notify, notifyFailure } from '../../parts/notices.tsx';
import { ProblemText } from '../../parts/problem-text.tsx';
import { type StateLook, StateMark } from '../../parts/state-mark.tsx';
import { momentText } from '../../parts/times.ts';
import { useRead } from '../../parts/use-read.ts';
import { words } from '../../words/words.ts';

const everyMs = 5000;
const looks: Readonly<Record<Certificate['state'], StateLook>> = {
  own: 'up',
  trusted: 'up',
  issuer: 'off',
  rejected: 'down',
};
/** What waits for a person comes first. */
const order: readonly Certificate['state'][] = ['rejected', 'own', 'trusted', 'issuer'];

interface Asked {
  readonly certificate: Certificate;
  readonly operation: 'trust' | 'delete';
}

export function LinkCertificates({ role, name }: { readonly role: LinkRole; readonly name: string }) {
  const { common, connectors } = words.value;
  const titles = connectors.certificates;
  const read = useRead((signal) => readCertificates(role, name, signal), [role, name], { everyMs });
  const asked = useSignal<Asked | undefined>(undefined);
  const close = () => {
    asked.value = undefined;
  };
  const run = async (certificate: Certificate, operation: CertificateOperation) => {
    close();
    try {
      await operateCertificate(certificate, operation);
      notify(titles.done[operation]);
    } catch (error) {
      notifyFailure(error);
    }
    read.again();
  };
  if (read.value === undefined) {
    return read.error === undefined ? <p class="quiet">{common.loading}</p> : <ProblemText error={read.error} />;
  }
  const sorted = read.value.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  return (
    <>
      {sorted.length === 0 && <p class="quiet">{titles.none}</p>}
      {sorted.map((certificate) => (
        <OneCertificate
          key={`${certificate.state} ${certificate.thumbprint} ${certificate.use}`}
          certificate={certificate}
          onRun={(operation) => void run(certificate, operation)}
          onAsk={(operation) => {
            asked.value = { certificate, operation };
          }}
        />
      ))}
      {may('configure') && (
        <p class="quiet">
          {titles.secrets} <a href={`/config/${role}s/${name}`}>{connectors.toConfiguration}</a>
        </p>
      )}
      {asked.value !== undefined && <AskDialog asked={asked.value} onClose={close} onRun={run} />}
    </>
  );
}

interface OneCertificateProps {
  readonly certificate: Certificate;
  readonly onRun: (operation: CertificateOperation) => void;
  readonly onAsk: (operation: Asked['operation']) => void;
}

function OneCertificate({ certificate, onRun, onAsk }: OneCertificateProps) {
  const titles = words.value.connectors.certificates;
  const { state, use, subject } = certificate;
  return (
    <section class="panel">
      <div class="view-head">
        <StateMark look={looks[state]} text={titles.states[state]} />
        <h2 class="link-text">{printable(subject)}</h2>
        <span class="quiet">{titles.uses[use]}</span>
        <span class="grow" />
        {may('configure') && moment.value === undefined && (
          <div class="row">
            {state === 'rejected' && (
              <button type="button" onClick={() => onAsk('trust')}>
                {titles.trust}
              </button>
            )}
            {state === 'trusted' && (
              <button type="button" onClick={() => onRun('reject')}>
                {titles.reject}
              </button>
            )}
            {state === 'own' && (
              <button type="button" onClick={() => onRun('renew')}>
                {titles.renew}
              </button>
            )}
            <button type="button" onClick={() => onAsk('delete')}>
              {titles.delete}
            </button>
          </div>
        )}
      </div>
      <FigureList facts={factsOf(certificate)} />
    </section>
  );
}

function factsOf(certificate: Certificate): Figure[] {
  const titles = words.value.connectors.certificates;
  const { issuer, thumbprint, sha1, refused, names, addresses } = certificate;
  const days = certificate['days-left'];
  const facts: Figure[] = [
    { what: titles.issuer, value: certificate['self-signed'] ? titles.selfSigned : printable(issuer) },
    {
      what: titles.expires,
      value: `${momentText(fromTimestamp(certificate['valid-until']))}, ${titles.daysLeft(days)}`,
      isNotable: days < expiryNoticeDays,
    },
    { what: titles.names, value: printable([...names, ...addresses].join(', ')) },
    { what: titles.thumbprint, value: <code>{inPairs(thumbprint)}</code> },
    { what: titles.sha1, value: <code>{inPairs(sha1)}</code> },
  ];
  if (refused === null) return facts;
  const { address, reason, count, last } = refused;
  const what = `${momentText(fromTimestamp(last))}`;
  return [{ what, value: printable(titles.refused(address, reason, count)), isNotable: true }, ...facts];
}

/** As devices show them. */
function inPairs(thumbprint: string): string {
  return thumbprint.toUpperCase().replaceAll(/(..)(?=.)/g, '$1:');
}

interface AskDialogProps {
  readonly asked: Asked;
  readonly onClose: () => void;
  readonly onRun: (certificate: Certificate, operation: CertificateOperation) => Promise<void>;
}

function AskDialog({ asked: { certificate, operation }, onClose, onRun }: AskDialogProps) {
  const { common, connectors } = words.value;
  const titles = connectors.certificates;
  const isTrust = operation === 'trust';
  return (
    <Dialog
      title={isTrust ? titles.trustTitle : titles.deleteTitle}
      onClose={onClose}
      actions={
        <>
          <button type="button" onClick={onClose}>
            {common.cancel}
          </button>
          <button type="button" class="main" onClick={() => void onRun(certificate, operation)}>
            {isTrust ? titles.trustNow : common.delete}
          </button>
        </>
      }
    >
      <p>{isTrust ? titles.trustWhat : titles.deleteWhat}</p>
      <p class="link-text">{printable(certificate.subject)}</p>
      <FigureList facts={factsOf(certificate)} />
    </Dialog>
  );
}
