import { Injectable } from '@nestjs/common';
import { Attempts } from '../../access/attempts.js';
import { MAX_FILES_BYTES } from '../../actions/asks/form-answers.js';
import { Bodies } from '../../common/http/bodies.js';
import { type SharedRequest, occupyPlace } from '../../common/http/share.guard.js';
import { busy } from '../../common/errors.js';
import { FairSemaphore, type Holder } from '../../../packages/fair/semaphore.js';
import { readForm, type SentForm } from '../form-body.js';
import { hasFiles, type PublicQuestion } from './form-page.js';

/**
 * A process handles at most four posts at once, and at most two to the same form. Each post needs a permit,
 * which is free again 25 ms after the post. Therefore, a process handles at most 80 posts a second to one
 * form. At most 250 posts to each form may wait. Further posts are refused before anything is read.
 */
const PLACES = 4;
const shares = { ofKey: 2, ofWorkspace: PLACES, mostWaiting: 250, restMs: 25 };

/** The maximum size of the texts in a post, in bytes, as browsers encode them. */
const MAX_TEXTS_BYTES = 4_000_000;

/** Limits how much the posts of people without an account slow down everybody else. */
@Injectable()
export class PublicPosts {
  private readonly places = new FairSemaphore(PLACES, busy('Too many forms are being sent.'), shares);

  constructor(
    private readonly attempts: Attempts,
    private readonly bodies: Bodies,
  ) {}

  /** Finds the form of a post, waits for a permit, and counts the post for the sender's network. */
  async admit<Form>(request: SharedRequest, token: string, find: () => Promise<Form>): Promise<Form> {
    const holder = { workspaceId: 0, keyId: token };
    this.places.refuseIfFull(holder);
    const form = await find();
    await occupyPlace(request, this.places, holder);
    await this.attempts.countForm(request.ip ?? '');
    return form;
  }

  /**
   * Reads a post. The forms of a workspace together get as much memory for bodies as one API key. A post to a
   * form without files may have at most `MAX_TEXTS_BYTES`.
   */
  read(
    request: SharedRequest,
    { workspaceId }: Holder,
    questions: readonly PublicQuestion[],
  ): Promise<SentForm> {
    const holder = { principal: { workspaceId, keyId: 'forms' } };
    const limit = MAX_TEXTS_BYTES + (hasFiles(questions) ? MAX_FILES_BYTES : 0);
    return readForm(Object.assign(request, holder), limit, this.bodies);
  }
}
