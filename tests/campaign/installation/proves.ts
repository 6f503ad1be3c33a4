import type { Proves } from '../../suite/proves.ts'

export const proves: Proves = {
  minutes: 7,
  rooms: [
    'src/platform/installation',
    'src/platform/postgres',
    'src/platform/folders',
    'src/platform/readiness',
    'src/platform/release',
    'src/platform/processes',
    'src/platform/disk-space',
    'src/platform/env',
    'src/platform/proxy',
    'src/account/health',
  ],
  files: [
    'cli/**',
    'tests/platform/installation/**',
    'src/open-installation.ts',
    'src/main.ts',
    'src/run.ts',
    'src/workers.ts',
  ],
  guarantees: [
    'A folder that a later release wrote is refused by every command, and nothing of it changes.',
    'A folder that is copied, moved, dumped or mounted twice is told from the one that works; a copy sends, sweeps and writes nothing until it is adopted.',
    'The embedded PostgreSQL starts, stops and is found again as root and as a plain user.',
    'Several workers serve one address and their figures are one.',
  ],
}
