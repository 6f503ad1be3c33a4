import type { Proves } from '../../suite/proves.ts'

export const proves: Proves = {
  minutes: 3,
  rooms: [
    'src/platform/confined',
    'src/platform/confined-process',
    'src/core/tools',
    'src/work/pipelines',
    'src/text/messages',
    'src/work/runs',
  ],
  files: ['tests/core/tools/**', 'tests/text/tools-world.ts'],
  guarantees: [
    'The tools that run here do on each wire what they promise: pages, scripts, several calls of one step, pauses, money.',
    'Figures over 100,000 rows are those of an independent calculation, however messy the file.',
  ],
}
