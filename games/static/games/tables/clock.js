/* Countdowns by the server's clock: the page knows when an answer is due and what the server's time was. */

export class Clock {
  constructor(tick) {
    this.ahead = 0; // of the browser's own clock, in milliseconds
    this.due = {};
    this.limit = 0;
    this.tick = tick;
    setInterval(() => this.running && tick(), 250);
  }

  set(clock) {
    if (!clock) return;
    this.ahead = clock.now - Date.now();
    this.due = clock.due ?? {};
    this.limit = clock.limit ?? 0;
    this.tick();
  }

  get running() {
    return Object.keys(this.due).length > 0;
  }

  /** Milliseconds left for a seat, null without a limit. */
  left(seat) {
    const due = this.due[seat];
    return due === undefined || due === null ? null : Math.max(0, due - Date.now() - this.ahead);
  }

  /** Share of the limit that is left, from 0 to 1. */
  share(seat) {
    const left = this.left(seat);
    return left === null || !this.limit ? null : Math.min(1, left / (this.limit * 1000));
  }
}
