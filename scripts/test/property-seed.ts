// Loaded before a test file with properties: fast-check's random choices follow from TEST_SEED.
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.TEST_SEED) });
