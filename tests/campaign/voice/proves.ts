import type { Proves } from '../../suite/proves.ts'

export const proves: Proves = {
  minutes: 4,
  rooms: [
    'src/platform/webrtc',
    'src/platform/channel',
    'src/platform/scheduler',
    'src/platform/net',
    'src/voice/realtime',
    'src/voice/live-speech',
    'src/media/speech',
    'src/providers/realtime',
    'src/providers/gemini-live',
    'src/providers/speech',
    'src/providers/transcriptions',
    'src/voice/realtime-routes',
    'src/voice/voice-page',
    'src/core/calls',
    'src/core/call-agent',
  ],
  files: [
    'tests/voice/**',
    'tests/platform/webrtc/**',
    'tests/harness/voice-wires.ts',
    'tests/harness/spoken.ts',
    'tests/harness/shaping-proxy.ts',
  ],
  guarantees: [
    'A browser speaks and is answered through real networks: relayed, lossy, moved and resumed.',
    'Processes hand calls over, and a call is charged to the second whoever of them dies.',
    'The end of a turn is heard as people speak.',
  ],
}
