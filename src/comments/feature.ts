import { CommentEntity } from './comment.entity.js';
import { CommentsModule } from './comments.module.js';

/** What this folder brings to the service. */
export const commentsFeature = {
  entities: [CommentEntity],
  eventTypes: ['comment.created'],
  modules: [CommentsModule],
};
