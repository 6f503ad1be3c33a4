/**
 * sherpa-onnx itself in its process, with the smallest models that it decodes (tone-model.ts). Runs where `SHERPA` names the folder of the package
 * (`npm install sherpa-onnx-node` in some other folder); what is around the library is tested without it (transcription-sherpa.test.ts).
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { encodeWhole } from '#core/sound'
import { sherpaTranscription } from '#providers/sherpa'
import { boot } from '../harness/world.ts'
import { type ModelKind, tokensOf, toneModel } from './tone-model.ts'

const library = process.env['SHERPA']
if (library === undefined)
  console.warn('SHERPA names no folder of sherpa-onnx-node: the library itself is not tested')

const root = mkdtempSync(path.join(tmpdir(), 'sherpa-library-'))
afterAll(() => rmSync(root, { recursive: true }))

function folderOf(name: string, files: Record<string, string | Uint8Array>): string {
  const folder = path.join(root, name)
  mkdirSync(folder)
  for (const [file, content] of Object.entries(files)) writeFileSync(path.join(folder, file), content)
  return folder
}
const good = (kind: ModelKind) => ({ 'model.onnx': toneModel(kind), 'tokens.txt': tokensOf(kind) })
const cut = toneModel('zipformer').subarray(0, 700)
const folders: Record<string, string> = {
  zipformer: folderOf('zipformer-tones', good('zipformer')),
  nemo: folderOf('nemo-tones', good('nemo')),
  none: path.join(root, 'none'),
  empty: folderOf('zipformer-empty', { 'tokens.txt': '<blk> 0\n' }),
  rubbish: folderOf('zipformer-rubbish', { ...good('zipformer'), 'model.onnx': 'no model at all' }),
  cut: folderOf('zipformer-cut', { ...good('zipformer'), 'model.onnx': cut }),
  'other-kind': folderOf('paraformer', good('zipformer')),
  'without-blank': folderOf('zipformer-tokens', { ...good('zipformer'), 'tokens.txt': 'a 0\n' }),
}

const broken = Object.keys(folders).slice(2)

const config = `
providers:
${Object.entries(folders)
  .map(([id, folder]) => `  - { id: ${id}, dialects: [sherpa], folder: ${folder}, package: ${library} }\n`)
  .join('')}
models:
${Object.keys(folders)
  .map(
    (id) => `  - id: test/${id}
    kind: transcription
    deployments: [{ provider: ${id}, model: ${id} }]
    transcription: { timestamps: word }
    pricing: { per_minute: 0.06 }\n`,
  )
  .join('')}
defaults: { credits_per_usd: 1000, markup: 1.0 }
`

/** Half a second of silence before each tone. */
async function tones(...hertz: number[]): Promise<string> {
  const samples = hertz.flatMap((one) => [
    ...Array<number>(8_000).fill(0),
    ...Array.from({ length: 8_000 }, (_, at) => 0.3 * Math.sin((2 * Math.PI * one * at) / 16_000)),
  ])
  const sound = { rate: 16_000, samples: Float32Array.from([...samples, ...Array<number>(8_000).fill(0)]) }
  const { bytes } = await encodeWhole([sound], { format: 'wav', maxBytes: 1 << 20 })
  return Buffer.from(bytes).toString('base64')
}
const [low, high] = [300, 4_000]

describe.runIf(library)('sherpa-onnx', () => {
  test('writes down what its model hears, with times; a model that it cannot open costs nothing, and the server goes on', async () => {
    await using world = await boot({ config, credits: 1_000 })
    const key = await world.key()
    const ask = async (id: string, ...hertz: number[]) =>
      key.post('/v1/audio/transcriptions', {
        model: `test/${id}`,
        audioBase64: await tones(...hertz),
        mediaType: 'audio/wav',
        timestamp_granularities: ['word'],
      })
    for (const id of ['zipformer', 'nemo']) {
      const reply = await ask(id, low, high, low)
      expect(reply.status, reply.text).toBe(200)
      expect(reply.body.text).toBe('سلام دنیا سلام')
      const starts = (reply.body.words as { word: string; start: number }[]).map(({ word, start }) => [
        word,
        start,
      ])
      expect(starts).toEqual([
        ['سلام', expect.closeTo(0.5, 1)],
        ['دنیا', expect.closeTo(1.5, 1)],
        ['سلام', expect.closeTo(2.5, 1)],
      ])
      expect((await ask(id)).body).toMatchObject({ text: '', words: [] })
    }
    const { available } = await world.balance()
    for (const id of broken) {
      const reply = await ask(id, low)
      expect([id, reply.status, reply.body.error.code]).toEqual([id, 502, 'UPSTREAM_MISCONFIGURED'])
    }
    await world.settled()
    expect((await world.balance()).available).toBe(available)
    expect((await ask('zipformer', high)).body.text).toBe('دنیا')
  })
  test.each([
    ['none', /^there is no folder .*none$/],
    ['empty', /has no file like model\*\.onnx$/],
    ['rubbish', /ended while it opened .*rubbish: .*Protobuf parsing failed/],
    ['cut', /ended while it opened .*cut: .*Protobuf parsing failed/],
    ['other-kind', /ended while it opened .*: 'lfr_window_size' does not exist in the metadata/],
    ['without-blank', /ended while it opened .*: .*<blk>/],
  ])('says why it cannot open a model: %s', async (id, reason) => {
    await using provider = sherpaTranscription({ folder: folders[id]!, package: library! })
    const opening = provider.ping(new AbortController().signal)
    await expect(opening).rejects.toMatchObject({ detail: expect.stringMatching(reason), executed: false })
  })
})
