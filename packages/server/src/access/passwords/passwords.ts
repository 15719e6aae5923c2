// Passwords: how they are hashed and verified, and which are refused.
import type { PasswordHashing } from '../access.ts';
import { hashPassword, verifyPassword } from './argon2.ts';

const leastLength = 12;

/** Of no password: unknown users cost as much as known ones. */
const nobodys = `$argon2id$v=19$m=65536,t=3,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

export const passwords: PasswordHashing = {
  hash: hashPassword,
  verify: async (password, hash) => {
    const isRight = await verifyPassword(password, hash ?? nobodys);
    return isRight && hash !== undefined;
  },
  faultOf: (password) =>
    password.length < leastLength ? `A password has at least ${leastLength} characters.` : undefined,
};
