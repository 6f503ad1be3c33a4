import type { Proves } from '../../suite/proves.ts'

export const proves: Proves = {
  minutes: 1,
  rooms: [
    'src/platform/webrtc',
    'src/platform/http',
    'src/platform/scheduler',
    'src/platform/apps',
    'src/platform/config',
    'src/engine/realtime',
  ],
  files: ['tests/webrtc/**', 'tests/http/**'],
  guarantees: [
    'A flood of datagrams, handshakes, frames or messages of one caller delays nobody else and takes bounded memory.',
  ],
}
