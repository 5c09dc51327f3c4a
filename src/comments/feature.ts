import { CommentEntity } from './comment.entity.js';
import { CommentsModule } from './comments.module.js';

/** The parts that this folder adds to the service. */
export const commentsFeature = {
  entities: [CommentEntity],
  eventTypes: ['comment.created'],
  modules: [CommentsModule],
};
