import { Injectable } from '@nestjs/common';

interface Hearing {
  readonly ring: (kind: string, job: object) => void;
  readonly demand: (kind: string, isWanted: (job: object) => boolean) => void;
}

/** Announces jobs of any kind to workers. `JobWaker` listens. */
@Injectable()
export class Doorbell {
  private hearing: Hearing | undefined;

  /** Announces a job, without waiting. Ignores failures, because workers find unannounced jobs themselves. */
  ring(kind: string, job: object): void {
    this.hearing?.ring(kind, job);
  }

  /** Runs due jobs for a request that waits for them, if background work does not start by itself. */
  demand(kind: string, isWanted: (job: object) => boolean): void {
    this.hearing?.demand(kind, isWanted);
  }

  answer(hearing: Hearing): void {
    this.hearing = hearing;
  }
}
