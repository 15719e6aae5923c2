// Which points are archived with which leaders, by the leaders' names: a leader may come after its followers, or never.

export class Followers {
  readonly #byLeader = new Map<string, Set<number>>();
  readonly #leaders = new Map<number, string>();

  /** Undefined: it follows none. */
  set(follower: number, leader: string | undefined): void {
    const before = this.#leaders.get(follower);
    if (before === leader) return;
    if (before !== undefined) {
      const others = this.of(before);
      others?.delete(follower);
      if (others?.size === 0) this.#byLeader.delete(before);
      this.#leaders.delete(follower);
    }
    if (leader === undefined) return;
    this.#leaders.set(follower, leader);
    const others = this.of(leader);
    if (others === undefined) this.#byLeader.set(leader, new Set([follower]));
    else others.add(follower);
  }

  leaderOf(follower: number): string | undefined {
    return this.#leaders.get(follower);
  }

  of(leader: string): Set<number> | undefined {
    return this.#byLeader.get(leader);
  }
}
