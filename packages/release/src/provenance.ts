import type { Checksum } from './checksums.ts';

export type Built = {
  files: readonly Checksum[];
  version: string;
  revision: string;
  platforms: readonly string[];
  /** The base image by digest; undefined without images. */
  base: string | undefined;
  lockfileSha256: string;
  startedOn: Date;
  finishedOn: Date;
};

/** @returns what was built from what, as an in-toto statement (SLSA provenance 1.0) */
export function provenance(built: Built) {
  const { files, version, revision, platforms, base, lockfileSha256 } = built;
  const [image, digest] = base?.split('@sha256:') ?? [];
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: files.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:public-payments:npm-run-release:v1',
        externalParameters: { version, platforms },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: revision } },
          { name: 'pnpm-lock.yaml', digest: { sha256: lockfileSha256 } },
          ...(digest === undefined ? [] : [{ name: image, digest: { sha256: digest } }]),
        ],
      },
      runDetails: {
        builder: { id: 'urn:public-payments:release-by-hand' },
        metadata: { startedOn: built.startedOn.toISOString(), finishedOn: built.finishedOn.toISOString() },
      },
    },
  };
}
