// How many clients of a provider never stop in the tests of its fairness.

/** That take the answers, and as many that never read. */
export const clientsOfEach = 4;
