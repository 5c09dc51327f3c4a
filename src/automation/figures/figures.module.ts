import { Module } from '@nestjs/common';
import { type BulkFollower } from '../../events/follower.js';
import { FiguresController } from './figures.controller.js';
import { FiguresService } from './figures.service.js';
import { FlowDayEntity, LengthDayEntity, StageVisitEntity } from './stage-visit.entity.js';
import { followStages } from './visits.repository.js';

@Module({ controllers: [FiguresController], providers: [FiguresService], exports: [FiguresService] })
export class FiguresModule {}

/** Stores the visits of tasks to stages. Counts moves and lengths of stays by day. */
const figuresFollower: BulkFollower = {
  name: 'figures',
  wants: () => true,
  followAll: followStages,
};

export const figuresFeature = {
  entities: [StageVisitEntity, FlowDayEntity, LengthDayEntity],
  followers: [figuresFollower],
  modules: [FiguresModule],
};
