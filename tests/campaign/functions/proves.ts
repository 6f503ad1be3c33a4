import type { Proves } from '../../suite/proves.ts'

export const proves: Proves = {
  minutes: 4,
  rooms: [
    'src/platform/channel',
    'src/platform/apps',
    'src/platform/compiled',
    'src/platform/slices',
    'src/platform/threads',
    'src/cloud/functions',
    'src/cloud/clouds',
    'src/cloud/cloud-routes',
  ],
  files: ['tests/cloud/**'],
  guarantees: [
    'A function answers its caller over HTTP within its bounds of time, memory and bytes, and sees its own secrets alone.',
    'What is deployed is checked, compiled, tried and switched as one thing; packages and logs are bounded.',
    'Hosts of functions on other machines are trusted by key, and a lost line loses no call.',
  ],
}
