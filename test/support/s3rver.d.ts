/** The part of it that the tests use; the package has no types. */
declare module '@20minutes/s3rver' {
  import { type RequestListener } from 'node:http';

  interface S3rverOptions {
    readonly directory: string;
    readonly silent: boolean;
    readonly configureBuckets: readonly { readonly name: string }[];
  }

  class S3rver {
    constructor(options: S3rverOptions);
    configureBuckets(): Promise<unknown>;
    callback(): RequestListener;
  }

  export { S3rver as default };
}
