import { figuresFollower } from './figures-follower.js';
import { FiguresModule } from './figures.module.js';
import { FlowDayEntity } from './flow-day.entity.js';
import { StageVisitEntity } from './stage-visit.entity.js';

export const figuresFeature = {
  entities: [StageVisitEntity, FlowDayEntity],
  followers: [figuresFollower],
  modules: [FiguresModule],
};
