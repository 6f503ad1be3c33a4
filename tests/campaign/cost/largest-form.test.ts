/** A form of 200 MB, the most that an operator can allow: taken to the byte, by a server of bounded memory, and one byte more is refused. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openForm } from '../../harness/form.ts'
import { cloneDatabase } from '../../harness/postgres.ts'
import { startProcess } from '../../harness/processes.ts'
import { transcriptionUpstream } from '../../harness/transcription-upstream.ts'
import { json } from '../../harness/upstream.ts'

const key = `khr_${'a'.repeat(43)}`
const most = 200 * 1024 * 1024
const piece = Buffer.alloc(1024 * 1024)

const configOf = (url: string) => `
providers:
  - { id: ears, base_url: ${url}, dialects: [transcriptions] }
models:
  - id: test/scribe
    kind: transcription
    deployments: [{ provider: ears, model: scribe-1 }]
    pricing: { per_minute: 0.06 }
audio: { max_upload_mb: 200 }
`

/** A WAV of so many bytes, of which a second and a half is sound: the rest stands before it, in a chunk that no reader needs. */
function* wavOf(bytes: number): Generator<Buffer> {
  const sound = Buffer.alloc(48_000)
  for (let at = 0; at < sound.length; at += 2) sound.writeInt16LE(Math.round(8_000 * Math.sin(at / 18)), at)
  const rest = bytes - 52 - sound.length
  const head = Buffer.alloc(44)
  head.write('RIFF')
  head.writeUInt32LE(bytes - 8, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(16_000, 24)
  head.writeUInt32LE(32_000, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('JUNK', 36)
  head.writeUInt32LE(rest, 40)
  yield head
  for (let left = rest; left > 0; left -= piece.length) yield piece.subarray(0, Math.min(left, piece.length))
  const data = Buffer.alloc(8)
  data.write('data')
  data.writeUInt32LE(sound.length, 4)
  yield data
  yield sound
}

/** In megabytes. */
function memoryOf(pid: number, figure: 'VmHWM' | 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${figure}:\\s+(\\d+)`).exec(status)![1]) / 1024
}

test.skipIf(process.platform !== 'linux')(
  '200 MB are taken to the byte without being held in memory; one more is 413',
  async () => {
    await using upstream = await transcriptionUpstream()
    await using database = await cloneDatabase()
    const sent: number[] = []
    upstream.reply(({ bytes }) => {
      sent.push(bytes.length)
      return json(200, { text: 'سلام', usage: { type: 'duration', seconds: 2 } })
    })
    await using server = await startProcess({
      databaseUrl: database.url,
      config: configOf(upstream.url),
      bootstrapKey: key,
      // A small young generation, so that what is measured is what the server holds and not what nobody has collected yet.
      env: { KHERAD_LOG_LEVEL: 'warn', NODE_OPTIONS: '--max-semi-space-size=2' },
    })
    const ask = async (bytes: number) => {
      const { around, headers } = openForm({ name: 'long.wav', type: 'audio/wav' }, { model: 'test/scribe' })
      async function* body() {
        yield around[0]
        yield* wavOf(bytes)
        yield around[1]
      }
      const reply = await fetch(`${server.url}/v1/audio/transcriptions`, {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${key}` },
        body: ReadableStream.from(body()),
        duplex: 'half',
      } as RequestInit)
      return {
        status: reply.status,
        body: (await reply.json()) as { text?: string; error?: { code: string } },
      }
    }
    const idle = memoryOf(server.child.pid!, 'VmRSS')
    const whole = await ask(most)
    expect([whole.status, whole.body.text], JSON.stringify(whole.body)).toEqual([200, 'سلام'])
    expect(sent).toEqual([expect.any(Number)])
    // The sound alone is sent, not what lies around it.
    expect(sent[0]).toBeLessThan(100_000)
    expect(memoryOf(server.child.pid!, 'VmHWM') - idle).toBeLessThan(80)
    const over = await ask(most + 1)
    expect([over.status, over.body.error?.code]).toEqual([413, 'BODY_TOO_LARGE'])
    expect(sent).toHaveLength(1)
  },
  300_000,
)
