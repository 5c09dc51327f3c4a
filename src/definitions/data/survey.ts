import { type EntityManager } from 'typeorm';
import { type Draft, type OnProgress } from './draft.js';
import { type Effect } from './effect.js';
import { surveyFields } from './survey-fields.js';
import { surveyGone } from './survey-gone.js';
import { surveyEnds, surveyUsers } from './survey-others.js';
import { surveyRelationships } from './survey-relationships.js';

/** What the changes do to the stored data, counted; only reads. */
export async function surveyData(
  db: EntityManager,
  draft: Draft,
  onProgress?: OnProgress,
): Promise<Effect[]> {
  return [
    ...(await surveyUsers(db, draft)),
    ...(await surveyEnds(db, draft)),
    ...(await surveyGone(db, draft)),
    ...(await surveyFields(db, draft, onProgress)),
    ...(await surveyRelationships(db, draft)),
  ];
}
