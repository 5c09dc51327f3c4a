import { Injectable } from '@nestjs/common';

/** Tells the workers of jobs, whatever kind they are; `jobs/` hears it. */
@Injectable()
export class Doorbell {
  private hear: (kind: string, job: object) => void = () => undefined;

  /** Never waits and never fails: a worker finds by itself what nobody was told of. */
  ring(kind: string, job: object): void {
    this.hear(kind, job);
  }

  /** Sets who hears it. */
  answer(hear: (kind: string, job: object) => void): void {
    this.hear = hear;
  }
}
