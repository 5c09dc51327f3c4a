import { CommentEntity } from './comment.entity.js';
import { CommentsModule } from './comments.module.js';

export const commentsFeature = {
  entities: [CommentEntity],
  eventTypes: ['comment.created'],
  modules: [CommentsModule],
};
