import type { Proves } from '../../suite/proves.ts'

export const proves: Proves = {
  minutes: 2,
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
    'The largest uploads are taken to the byte, and one byte more is refused and leaves nothing.',
    'Bodies of many clients at once take bounded memory, are taken in turn, and hold the event loop no longer than a slice.',
    'A flood of datagrams, handshakes, frames or messages of one caller delays nobody else and takes bounded memory.',
  ],
}
