import { expect, test } from 'vitest'
import { warmCall } from './warm-call.ts'

test('what cannot be made ready before a call rejects nothing: a rejection that nobody awaits would end the process', async () => {
  const turns = {
    models: { find: () => undefined },
    inference: {
      upstreamOf: () => {
        throw new Error('no upstream')
      },
    },
  }
  const transcription = { kind: 'transcription', deployments: [{ provider: 'ears', priority: 1 }] }
  for (const model of [{ kind: 'realtime', engine: 'pipeline' }, transcription]) {
    const call = { model, settings: { transcription: {} } }
    await expect(warmCall({ turns } as never, call as never)).resolves.toBeUndefined()
  }
})
