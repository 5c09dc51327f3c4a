import { Module } from '@nestjs/common';
import { CommentsController } from './comments.controller.js';
import { CommentsService } from './comments.service.js';
import { CommentEntity } from './comment.entity.js';

@Module({
  controllers: [CommentsController],
  providers: [CommentsService],
  exports: [CommentsService],
})
export class CommentsModule {}

export const commentsFeature = {
  entities: [CommentEntity],
  eventTypes: ['comment.created'],
  modules: [CommentsModule],
};
