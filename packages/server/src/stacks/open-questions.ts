// Questions to a thread that wait for their answers. Each has exactly one outcome: its answer, or that the thread ended.

export interface Ended {
  readonly kind: 'ended';
  readonly reason: string;
}

export interface Asked<Answer> {
  readonly question: number;
  readonly outcome: Promise<Answer | Ended>;
}

export class OpenQuestions<Answer> {
  readonly #waiting = new Map<number, (outcome: Answer | Ended) => void>();
  #last = 0;

  /** `send` gets the number of the question; undefined where it returns false, since there is nobody to ask. */
  ask(send: (question: number) => boolean): Asked<Answer> | undefined {
    const question = ++this.#last;
    if (!send(question)) return undefined;
    return { question, outcome: new Promise((resolve) => this.#waiting.set(question, resolve)) };
  }

  /** A second answer, and one to a question that nobody asked, is passed over. */
  answer(question: number, answer: Answer): void {
    const resolve = this.#waiting.get(question);
    this.#waiting.delete(question);
    resolve?.(answer);
  }

  endAll(reason: string): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const resolve of waiting) resolve({ kind: 'ended', reason });
  }
}
