// Attacks the regex of an address syntax as a stranger would: for the tests of a stack.
import { createContext, runInContext } from 'node:vm';
import { type AddressSyntax, maxAddressLength } from '../address-syntax.ts';

const longestPiece = 8;

/**
 * Each piece of each example, repeated up to the greatest length of an address and ended by something that cannot
 * match: that makes a regex with more than one way to read a text try them all. Returns the attack that was still
 * running when the time for all of them together was up.
 */
export function findSlowAddress(syntax: AddressSyntax, budgetMs = 2000): string | undefined {
  const attacks = new Set<string>();
  for (const { address } of syntax.examples) {
    for (let from = 0; from < address.length; from++) {
      for (let to = from + 1; to <= Math.min(from + longestPiece, address.length); to++) {
        const piece = address.slice(from, to);
        const repeated = address.slice(0, from) + piece.repeat(maxAddressLength);
        attacks.add(`${repeated.slice(0, maxAddressLength - 1)}\0`);
      }
    }
  }
  const context = createContext({ source: syntax.regex, attacks: [...attacks], at: 0 });
  const run = 'const regex = new RegExp(source, "u"); for (; at < attacks.length; at++) regex.test(attacks[at]);';
  try {
    runInContext(run, context, { timeout: budgetMs });
    return undefined;
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return [...attacks][context.at];
  }
}
