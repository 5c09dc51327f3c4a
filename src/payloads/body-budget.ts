import { unavailable } from '../errors/errors.js';

interface Waiting {
  readonly bytes: number;
  readonly admit: () => void;
}

/** Bounds the memory of all request bodies at once: who finds it used up waits in line, unread. */
export class BodyBudget {
  private free: number;
  private readonly line: Waiting[] = [];

  constructor(
    private readonly total: number,
    private readonly patienceMs = 10_000,
  ) {
    this.free = total;
  }

  /** Takes this many bytes (at most all there are); 503 after 10 s in the line. */
  async take(wanted: number): Promise<number> {
    const bytes = Math.min(wanted, this.total);
    if (this.line.length === 0 && bytes <= this.free) this.free -= bytes;
    else await this.wait(bytes);
    return bytes;
  }

  giveBack(bytes: number): void {
    this.free += bytes;
    for (let first = this.line[0]; first && first.bytes <= this.free; first = this.line[0]) {
      this.line.shift();
      this.free -= first.bytes;
      first.admit();
    }
  }

  private wait(bytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = { bytes, admit: () => { clearTimeout(timer); resolve(); } }; // prettier-ignore
      const timer = setTimeout(() => {
        this.line.splice(this.line.indexOf(waiting), 1);
        reject(unavailable('Too many request bodies are being read at once.'));
      }, this.patienceMs);
      this.line.push(waiting);
    });
  }
}
