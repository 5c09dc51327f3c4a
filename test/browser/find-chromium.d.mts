/** The Chromium of this machine, or the one that CHROMIUM_PATH names; undefined where there is none. */
export declare const executable: string | undefined;
