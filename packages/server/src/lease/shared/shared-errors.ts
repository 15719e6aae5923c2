// Why what was to be shared is not acknowledged.

/** The node leads no more: nothing of this epoch will be stored. What was under way may have been. */
export class LeaseLost extends Error {}

/** etcd has not said in time that it has it. It may have it. */
export class NotShared extends Error {}

/** What the site shares was written by a newer version, in a form that this one does not know. */
export class NewerForm extends Error {
  constructor(form: string) {
    super(`What the site shares is in form ${form.slice(0, 20)}, of a newer version: bring this node up to date`);
  }
}
