// How addresses look on the connector of a point: examples to take over, and the syntax as its stack describes it.
import type { Family } from '@telltale/schema/values';
import { readAddressSyntax } from '../../data/fields.ts';
import { DocText } from '../../parts/schema-form/doc-text.tsx';
import { useRead } from '../../parts/use-read.ts';
import { words } from '../../words/words.ts';

export interface AddressHelpProps {
  readonly family: Family;
  readonly connector: string;
  /** Takes an example over; undefined: nothing can be typed. */
  readonly onTake: ((address: string) => void) | undefined;
}

export function AddressHelp({ family, connector, onTake }: AddressHelpProps) {
  const { config } = words.value;
  const syntax = useRead((signal) => readAddressSyntax(family, connector, signal), [family, connector]).value;
  if (syntax === undefined) return null;
  if (!syntax.enabled) return <p class="form-help">{config.noAddresses}</p>;
  return (
    <details class="address-help">
      <summary>{config.addressHelp}</summary>
      <table>
        <tbody>
          {syntax.examples.map(({ address, meaning }) => (
            <tr key={address}>
              <td>
                {onTake === undefined ? (
                  <code>{address}</code>
                ) : (
                  <button type="button" class="plain" onClick={() => onTake(address)}>
                    <code>{address}</code>
                  </button>
                )}
              </td>
              <td lang="en">{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <DocText paragraphs={syntax.doc} />
    </details>
  );
}
