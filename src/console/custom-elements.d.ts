import { type JSX } from 'preact';

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      /** A part of a page that Turbo loads separately. */
      'turbo-frame': AllHTMLAttributes<HTMLElement>;
    }
  }
}

export type { JSX };
