import type { Proves } from '../../suite/proves.ts'

export const proves: Proves = {
  minutes: 4,
  rooms: [
    'src/platform/jail',
    'src/platform/confined',
    'src/platform/confined-process',
    'src/core/tools',
    'src/cloud/functions',
  ],
  files: ['tests/core/tools/**', 'tests/cloud/jail/**'],
  guarantees: [
    'Code of tenants reads no file, reaches no address, sees no process and no secret outside its jail, and ends within its memory, time and processes.',
    'A shell of an agent keeps its files, is bounded, and leaves nothing behind.',
  ],
}
