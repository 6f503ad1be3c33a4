import type { Proves } from '../../suite/proves.ts'

export const proves: Proves = {
  minutes: 3,
  rooms: [
    'src/platform/webrtc',
    'src/platform/http',
    'src/platform/scheduler',
    'src/platform/apps',
    'src/platform/config',
    'src/voice/realtime',
    'src/providers/kit',
    'src/account/docs',
    'src/account/console',
    'src/account/console-build',
    'src/account/accounting',
  ],
  files: ['tests/platform/webrtc/**', 'tests/platform/http/**'],
  guarantees: [
    'An answer of an upstream that never ends is cut at its bound, and a body that is refused is not kept.',
    'Pages and documents without a key cost next to nothing.',
    'The usage of hundreds of thousands of rows is answered a page at a time.',
    'The largest uploads are taken to the byte, and one byte more is refused and leaves nothing.',
    'Bodies of many clients at once take bounded memory, are taken in turn, and hold the event loop no longer than a slice.',
    'A flood of datagrams, handshakes, frames or messages of one caller delays nobody else and takes bounded memory.',
  ],
}
