import { Injectable } from '@nestjs/common';

/** Announces jobs of any kind to workers; `jobs/` listens. */
@Injectable()
export class Doorbell {
  private hear: (kind: string, job: object) => void = () => undefined;
  private runDue: (kind: string, isWanted: (job: object) => boolean) => void = () => undefined;

  /** Never waits and never fails: workers find unannounced jobs by themselves. */
  ring(kind: string, job: object): void {
    this.hear(kind, job);
  }

  /** Runs due jobs for a request that waits for them, where background work does not start by itself. */
  demand(kind: string, isWanted: (job: object) => boolean): void {
    this.runDue(kind, isWanted);
  }

  /** Sets the listeners. */
  answer(hear: Doorbell['hear'], runDue: Doorbell['runDue']): void {
    this.hear = hear;
    this.runDue = runDue;
  }
}
