import { type JSX } from 'preact';

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      /** Turbo loads this part of a page separately. */
      'turbo-frame': AllHTMLAttributes<HTMLElement>;
    }
  }
}

export type { JSX };
