import { Injectable } from '@nestjs/common';

/** Announces jobs of any kind to workers; `jobs/` listens. */
@Injectable()
export class Doorbell {
  private hear: (kind: string, job: object) => void = () => undefined;

  /** Never waits and never fails: workers find unannounced jobs by themselves. */
  ring(kind: string, job: object): void {
    this.hear(kind, job);
  }

  /** Sets the listener. */
  answer(hear: (kind: string, job: object) => void): void {
    this.hear = hear;
  }
}
