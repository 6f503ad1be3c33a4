import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { kherad } from '../../cli/command-line.ts'
import { freePort } from '../../harness/free-port.ts'
import { temporaryFolder } from '../../platform/db/cluster-world.ts'

/** What the doctor says of voice with this configuration: state and sentence by name. */
async function examined(
  folder: string,
  text: string,
  env: Record<string, string> = {},
): Promise<Record<string, string>> {
  const file = path.join(folder, 'kherad.config.yaml')
  await writeFile(file, text)
  const { json } = await kherad(
    {
      ...{ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', KHERAD_DATA: folder, KHERAD_CONFIG: file },
      ...{ KHERAD_PORT: '0', KHERAD_LOCALE: 'en', ...env },
    },
    ...['doctor', '--json'],
  )
  const own = json.checks.filter(({ name }: { name: string }) => name.startsWith('voice'))
  return Object.fromEntries(
    own.map(({ name, state, message }: Record<string, string>) => [name, `${state}: ${message}`]),
  )
}

const text = (id: string) =>
  `  - { id: ${id}, kind: text, deployments: [{ provider: acme, model: m }], context_length: 1000, max_output_tokens: 100, pricing: { input_per_million: 0, output_per_million: 0 } }\n`
const provider =
  'providers:\n  - { id: acme, base_url: "http://127.0.0.1:1/v1", dialects: [chat, transcriptions, speech] }\n'

test('what a call needs has lines of its own, each with what is missing: models, ports, an address for outside, TLS', async () => {
  await using folder = await temporaryFolder('doctor-voice-')
  const taken = createSocket('udp4')
  // Free again once it is given back, of UDP and of TCP: nothing is given a port of this range.
  taken.bind(await freePort(), '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address()
  const webrtc = (ports: string, more = '') => `webrtc: { listen: [127.0.0.1], ports: ${ports}${more} }\n`
  const public_ = { KHERAD_BASE_URL: 'http://ai.example.org' }

  const lacking = await examined(
    folder.path,
    `${provider}models:\n${text('acme/chat')}${webrtc('[0, 0]')}`,
    public_,
  )
  expect(lacking).toEqual({
    voice_models: expect.stringMatching(/^warning: .*sandbox\/transcribe, sandbox\/speech: write a model of/),
    voice_ports: expect.stringMatching(/^ok: The system chooses/),
    voice_addresses: expect.stringMatching(/^warning: .*only 127\.0\.0\.1, .*webrtc\.public_ip/),
    voice_microphone: expect.stringMatching(/^warning: http:\/\/ai\.example\.org is neither https/),
  })

  const whole = await examined(
    folder.path,
    `${provider}models:
${text('acme/chat')}  - { id: acme/ear, kind: transcription, deployments: [{ provider: acme, model: m }], pricing: { per_minute: 0 } }
  - { id: acme/mouth, kind: audio, deployments: [{ provider: acme, model: m }], audio: { voices: [{ id: a }], formats: [wav] }, pricing: { per_minute: 0 } }
${webrtc(`[${port}, ${port}]`, ', public_ip: [203.0.113.7]')}`,
    { KHERAD_BASE_URL: 'https://ai.example.org' },
  )
  taken.close()
  expect(whole).toEqual({
    voice_models: expect.stringMatching(
      /^ok: acme\/ear hears, acme\/chat answers, acme\/mouth speaks\..*realtime_model/,
    ),
    voice_ports: expect.stringMatching(new RegExp(`^broken: No port of ${port}–${port} is free`)),
    voice_microphone: expect.stringMatching(/^ok: /),
  })

  const few = await examined(folder.path, webrtc(`[${port}, ${port}]`, ', public_ip: [203.0.113.7]'), {
    ...{ ...public_, KHERAD_WORKERS: '2' },
  })
  expect(few).toMatchObject({
    voice_models: expect.stringMatching(/^ok: Only the sandbox/),
    voice_ports: expect.stringMatching(/^warning: .* has only 1 free, and 2 processes/),
    voice_addresses: 'ok: Browsers are told: 203.0.113.7',
  })

  const elsewhere = await examined(folder.path, 'webrtc: { listen: [203.0.113.9] }\nvoice: { capacity: 1 }\n')
  expect(elsewhere['voice_ports']).toMatch(/^broken: .*EADDRNOTAVAIL.*webrtc\.public_ip/)
  expect(await examined(folder.path, 'voice: { capacity: 0 }\n')).toEqual({
    voice: expect.stringMatching(/^skipped: .*voice\.capacity/),
  })
})

test('a model whose calls run past this server is named with its risk, and no other is', async () => {
  await using folder = await temporaryFolder('doctor-voice-')
  const talk = (engine: string) => `providers:
  - { id: acme, base_url: "http://127.0.0.1:1/v1", dialects: [realtime] }
models:
  - { id: acme/talk, kind: realtime, engine: ${engine}, deployments: [{ provider: acme, model: m }], pricing: { per_minute: 0 } }
webrtc: { listen: [127.0.0.1], ports: [0, 0] }
`
  const { voice_passthrough: passed } = await examined(folder.path, talk('passthrough'))
  expect(passed).toMatch(/^warning: WebRTC calls with acme\/talk run past this server .*operator's loss/)
  expect(await examined(folder.path, talk('relay'))).not.toHaveProperty('voice_passthrough')
})
