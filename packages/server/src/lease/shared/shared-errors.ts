// Why what was to be shared is not acknowledged.

/** The node leads no more: nothing of this epoch will be stored. What was under way may have been. */
export class LeaseLost extends Error {}

/** etcd has not said in time that it has it. It may have it. */
export class NotShared extends Error {}
