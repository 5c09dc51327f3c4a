import { type VNode } from 'preact';

/** An icon of 16 by 16 pixels in the colour of the text around it. Screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }): VNode {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

const paths = {
  inbox: 'M2 9.5h3.5L6.5 11h3l1-1.5H14M2 9.5v3h12v-3M2 9.5 4 3.5h8l2 6',
  bell: 'M4 11V7a4 4 0 0 1 8 0v4l1 1.5H3zM6.5 13.8a1.6 1.6 0 0 0 3 0',
  board: 'M3 3h2.5v10H3zM6.75 3h2.5v7h-2.5zM10.5 3H13v5h-2.5z',
  chart: 'M2.5 2.5v11h11M5.5 11V8M8.5 11V4.5M11.5 11V6.5',
  list: 'M3 4.5h10M3 8h10M3 11.5h10',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5 13.5 13.5',
  plus: 'M8 3v10M3 8h10',
  check: 'M3.5 8.5 6.5 11.5 12.5 4.5',
  cross: 'M4 4l8 8M12 4l-8 8',
  dash: 'M4 8h8',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  edit: 'M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3zM9.3 4.4l2.3 2.3',
  clip: 'M12.5 7.5 7.6 12.4a2.7 2.7 0 0 1-3.8-3.8l5.4-5.4a1.8 1.8 0 0 1 2.5 2.5l-5.3 5.4a.9.9 0 0 1-1.3-1.3l4.7-4.7',
  link: 'M6.8 9.2a2.4 2.4 0 0 0 3.4 0l2-2a2.4 2.4 0 0 0-3.4-3.4l-.8.8M9.2 6.8a2.4 2.4 0 0 0-3.4 0l-2 2a2.4 2.4 0 0 0 3.4 3.4l.8-.8',
  person: 'M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.5c.6-2.4 2.6-3.5 5-3.5s4.4 1.1 5 3.5',
  time: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.5',
  warning: 'M8 2.5 14 13H2zM8 6.5v3M8 11.2v.3',
  arrow: 'M3 8h9.5M9 4.5 12.5 8 9 11.5',
  lock: 'M4.5 7.5h7v5.5h-7zM5.8 7.5V5.3a2.2 2.2 0 0 1 4.4 0v2.2',
  settings:
    'M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 2.2v1.6M8 12.2v1.6M2.2 8h1.6M12.2 8h1.6M3.9 3.9 5 5M11 11l1.1 1.1M3.9 12.1 5 11M11 5l1.1-1.1',
  logout: 'M6.5 13.5H3v-11h3.5M10 5l3 3-3 3M13 8H6.5',
  history: 'M2.7 6.2A5.6 5.6 0 1 1 2.4 9M2.4 3v3.4h3.4M8 5.2V8l2 1.4',
  download: 'M8 2.5v8M4.8 7.3 8 10.5l3.2-3.2M3 13.5h10',
  trash: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.2 4.5l.6 8.5h6.4l.6-8.5M6.8 7v3.8M9.2 7v3.8',
  comment: 'M2.5 3h11v8H8l-3 2.5V11H2.5z',
} as const;

export type IconName = keyof typeof paths;
